import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findProse } from './find-prose.ts';

const foundIn = (text: string, isCode: boolean) =>
  findProse(text, { isCode }).map(({ line, found }) => `${line} ${found}`);

describe('findProse()', () => {
  it('finds the line and the words in a document', () => {
    assert.deepEqual(foundIn('Fine.\nIt is served where a key exists.', false), ['2 where a']);
    assert.deepEqual(foundIn('One site alone. It retries at once.', false), ['1 alone']);
  });

  it('skips code samples and `code` in documents', () =>
    assert.deepEqual(foundIn('```sh\necho where the key is\n```\nSet `fault`.', false), []));

  it('reads the comments and strings of code, but not the code', () => {
    const code =
      "const fault = /where the/; // where the key is\nlog('stands in the log');\n/* fine */ const trouble = 1;";
    assert.deepEqual(foundIn(code, true), ['1 where the', '2 stands in']);
  });

  it('skips variables in strings', () => assert.deepEqual(foundIn('log(`Cannot start: ${fault}`);', true), []));

  it('reads comments of several lines', () =>
    assert.deepEqual(foundIn('/**\n * Its cause is gone.\n * A fault.\n */', true), ['2 is gone', '3 fault']));
});
