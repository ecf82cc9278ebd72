import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Mutation, mutatedSource } from './mutation.ts';

const edit: Mutation = {
  name: 'no limit',
  threats: [],
  file: 'a.ts',
  from: 'if (n > 9) return;',
  to: '',
  tests: [],
};

describe('mutatedSource()', () => {
  it('takes the defence away and leaves the rest', () => {
    assert.equal(mutatedSource('f();\nif (n > 9) return;\ng();', edit), 'f();\n\ng();');
  });

  it('refuses an edit whose text is not there, or there twice', () => {
    for (const source of ['g();', `${edit.from} ${edit.from}`])
      assert.throws(() => mutatedSource(source, edit), /Cannot apply "no limit": its text stands [02] times in a\.ts/);
  });

  it('refuses an edit that leaves no program', () => {
    assert.throws(() => mutatedSource(edit.from, { ...edit, to: 'if (' }), /no program/);
  });

  it('takes the new text as it is', () => {
    assert.equal(mutatedSource(edit.from, { ...edit, to: "f('$&');" }), "f('$&');");
  });
});
