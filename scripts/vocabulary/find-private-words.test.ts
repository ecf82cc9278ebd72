import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findPrivateWords } from './find-private-words.ts';
import { PRIVATE_WORDS } from './words.ts';

const found = (text: string, file = 'a/good-name.ts') =>
  findPrivateWords({ file, text }, PRIVATE_WORDS).map(({ line, found: name, use }) => `${line} ${name}: ${use}`);

describe('findPrivateWords()', () => {
  it('names line, name and the word to use', () => {
    assert.deepEqual(found('const a = 1;\nopenCrew();'), ['2 openCrew: cluster']);
  });

  it('looks at each part of a name, whatever its spelling', () => {
    for (const name of ['callLedger', 'LEDGER_SIZE', '#ledger', 'Ledger'])
      assert.equal(found(`${name};`).length, 1, name);
  });

  it('looks at whole parts alone', () => {
    assert.deepEqual(found('defence(); screwCap(); almost(); maxPulses();'), []);
  });

  it('finds words that are no English in prose too', () => {
    assert.deepEqual(found('/** Of strangers. */'), ['1 strangers: unknown ids']);
    assert.deepEqual(found('Of strangers.', 'README.md'), ['1 strangers: unknown ids']);
  });

  it('leaves ordinary English to prose', () => {
    for (const text of ['// What most of them heard.', "say('most');", '`at least ${one}`;', '/ of the least/i;'])
      assert.deepEqual(found(`const a = ${text}`), [], text);
    assert.deepEqual(found('const most = 1;'), ['1 most: max']);
  });

  it('finds words in the names of files', () => {
    assert.deepEqual(found('', 'src/crew-status.ts'), ['0 crew: cluster']);
  });
});
