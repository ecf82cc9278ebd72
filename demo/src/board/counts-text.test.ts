import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countsText } from './counts-text.ts';

describe('countsText()', () => {
  for (const [statuses, text] of [
    [[], ''],
    [['ACTIVE'], '1 source, all up to date'],
    [['ACTIVE', 'BROKEN'], '2 sources, 1 needs attention'],
    [['PENDING', 'BROKEN', 'DRAFT'], '3 sources, 2 need attention'],
  ] as const) {
    it(`is "${text}"`, () => assert.equal(countsText(statuses.map((status) => ({ status }))), text));
  }
});
