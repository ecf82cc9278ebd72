import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { residentMiBIn } from './memory.ts';

describe('residentMiBIn()', () => {
  it('reads the resident set in MiB', () => {
    assert.equal(residentMiBIn('Name:\tnode\nVmPeak:\t 999999 kB\nVmRSS:\t  131072 kB\n'), 128);
  });

  it('has nothing to say of another text', () => assert.equal(residentMiBIn('Name:\tnode\n'), undefined));
});
