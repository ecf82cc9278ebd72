import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findProse } from './prose.ts';

describe('findProse()', () => {
  it('finds the line and the words in a document, but not in its code', () => {
    const text =
      'One site alone. It retries at once.\n```sh\necho where the key is\n```\nSet `fault`.\nIt works where a key exists.';
    assert.deepEqual(findProse(text, { isCode: false }), [
      '1 "alone": write only, before the word',
      '6 "where a": write if, when, unless',
    ]);
  });

  it('reads the comments and strings of code, but not the code', () => {
    const code = `const fault = /where the/; // where the key is
log('stands in the log', \`\${fault}\`);
/**
 * Its cause is gone.
 */
const trouble = 1;`;
    assert.deepEqual(
      findProse(code, { isCode: true }).map((hit) => hit.split(':')[0]),
      ['1 "where the"', '2 "stands in"', '4 "is gone"'],
    );
  });
});
