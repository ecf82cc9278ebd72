import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { controlKind } from './control-kind.ts';

describe('controlKind()', () => {
  for (const type of ['boolean', 'boolean | undefined']) {
    it(`is a switch for ${type}`, () => assert.deepEqual(controlKind(type), { kind: 'switch' }));
  }

  for (const [type, values] of [
    ["'card' | 'compact'", ['card', 'compact']],
    ['"lazy" | "eager"', ['lazy', 'eager']],
    ["'auto' | 'light' | null", ['auto', 'light']],
    ['2 | 3 | 4', ['2', '3', '4']],
  ] as const) {
    it(`is a choice for ${type}`, () => assert.deepEqual(controlKind(type), { kind: 'choice', values }));
  }

  for (const type of [
    'string',
    'string | null',
    'number',
    '',
    "'only'",
    "'card' | string",
    'Variant',
    '() => Promise<string>',
  ]) {
    it(`is a field for "${type}"`, () => assert.deepEqual(controlKind(type), { kind: 'text' }));
  }
});
