import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MUTATIONS } from './list.ts';
import { type Mutation, mutatedText, sourceOf } from './mutation.ts';
import { packageSources, testsOf } from './sources.ts';

const mutation: Mutation = { name: 'no limit', threats: [], from: 'if (n > 9) return;', to: '' };
const source = (text: string, file = 'a.ts') => ({ file, text });

describe('sourceOf()', () => {
  it('finds the file that has the text', () => {
    const [other, found] = [source('g();'), source(mutation.from, 'b.ts')];
    assert.equal(sourceOf(mutation, [other, found]), found);
  });

  it('finds the named file where others have the same text', () => {
    const [other, named] = [source(mutation.from), source(mutation.from, 'b.ts')];
    assert.throws(() => sourceOf(mutation, [other, named]), /"no limit": name one of a\.ts, b\.ts/);
    assert.equal(sourceOf({ ...mutation, file: 'b.ts' }, [other, named]), named);
  });

  it('refuses text that stands nowhere, or twice in a file', () => {
    assert.throws(() => sourceOf(mutation, [source('g();')]), /no source has its text/);
    assert.throws(() => sourceOf(mutation, [source(`${mutation.from} ${mutation.from}`)]), /more than once in a\.ts/);
  });
});

describe('mutatedText()', () => {
  it('takes the defence away and leaves the rest', () => {
    assert.equal(mutatedText(source('f();\nif (n > 9) return;\ng();'), mutation), 'f();\n\ng();');
  });

  it('refuses an edit that leaves no program', () => {
    assert.throws(() => mutatedText(source(mutation.from), { ...mutation, to: 'if (' }), /no program/);
  });

  it('takes the new text as it is', () => {
    assert.equal(mutatedText(source(mutation.from), { ...mutation, to: "f('$&');" }), "f('$&');");
  });
});

describe('MUTATIONS', () => {
  it('fit the sources as they are, and each has tests to turn red', () => {
    const sources = packageSources();
    const faults = MUTATIONS.flatMap((mutation) => {
      try {
        const found = sourceOf(mutation, sources);
        mutatedText(found, mutation);
        return testsOf(mutation, found.file).length > 0 ? [] : [`No tests for "${mutation.name}"`];
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)];
      }
    });
    assert.deepEqual(faults, []);
  });
});
