import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closeAll } from './close-all.ts';

describe('closeAll()', () => {
  it('closes every part, and rejects with the first error', async () => {
    const closed: string[] = [];
    const failing = async (): Promise<void> => {
      throw new Error('disk');
    };
    await assert.rejects(closeAll([() => void closed.push('a'), failing, () => void closed.push('b')]), /disk/);
    assert.deepEqual(closed, ['a', 'b']);
  });
});
