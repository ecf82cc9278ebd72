import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BOARD_MANIFEST, CARD_MANIFEST } from './card-manifest.ts';
import type { Manifest } from '../../../packages/widget/build/manifest.ts';
import { controlKind, readManifest } from './manifest.ts';

const MANIFEST: Manifest = {
  modules: [
    { path: 'helpers.js', declarations: [{ name: 'Helper' }], exports: [] },
    {
      path: 'card.js',
      exports: [],
      declarations: [
        {
          tagName: 'x-card',
          description: 'A card.',
          attributes: [{ name: 'theme', type: { text: "'auto' | 'light'" }, default: "'auto'" }],
          members: [
            { kind: 'field', name: 'theme', attribute: 'theme' },
            { kind: 'field', name: 'pulse', type: { text: 'Pulse | null' } },
            { kind: 'field', name: 'version', static: true },
            { kind: 'field', name: 'hidden', privacy: 'private' },
            { kind: 'method', name: 'refresh', description: 'Requests again.' },
          ],
          cssParts: [{ name: 'base' }],
        },
      ],
    },
  ],
};

describe('readManifest()', () => {
  it('reads the members that pages can use, and skips private and static members', () => {
    const { attributes, fields, methods, parts, events } = readManifest(MANIFEST, 'x-card');
    assert.deepEqual(attributes, [{ name: 'theme', description: '', type: "'auto' | 'light'", preset: 'auto' }]);
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['pulse'],
    );
    assert.deepEqual(methods, [{ name: 'refresh', description: 'Requests again.' }]);
    assert.deepEqual([parts.length, events.length], [1, 0]);
  });

  it('throws for an element that doesn’t exist', () => {
    assert.throws(() => readManifest(MANIFEST, 'x-board'), /x-board/);
  });

  it('finds everything in the widget’s own manifest', () => {
    for (const { attributes, methods, events, slots, parts, properties } of [CARD_MANIFEST, BOARD_MANIFEST])
      for (const entries of [attributes, methods, events, slots, parts, properties]) assert.ok(entries.length > 0);
  });
});

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

  for (const type of ['string', 'number', '', "'only'", "'card' | string", '() => Promise<string>']) {
    it(`is a field for "${type}"`, () => assert.deepEqual(controlKind(type), { kind: 'text' }));
  }
});
