import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createVirtualClock, settled, type VirtualClock } from '../testing/virtual-clock.ts';
import { openTokenKeysFile } from './token-keys-file.ts';

const ringOf = (kid: string): string => JSON.stringify([{ kid, secret: 'canary'.repeat(8) }]);

/** A file of keys that is looked at every second of a clock that stands still. */
async function openStory(text = ringOf('first')) {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-token-keys-'));
  const path = join(folder, 'keys.json');
  writeFileSync(path, text);
  const clock = createVirtualClock();
  const warnings: string[] = [];
  const file = await openTokenKeysFile(path, { clock, reloadMs: 1_000, warn: (text) => warnings.push(text) });
  return {
    file,
    clock,
    warnings,
    kids: () => [...file.current().keys.keys()],
    write: (text: string) => writeFileSync(path, text),
    remove: () => rmSync(path),
    look: () => look(clock),
    [Symbol.dispose]() {
      file.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Lets the next look happen, to its end: the file system answers when it likes, and the look after is scheduled then. */
async function look(clock: VirtualClock): Promise<void> {
  await clock.advance(1_000);
  while (clock.pending() === 0) await settled();
}

describe('openTokenKeysFile()', () => {
  it('takes in what changes', async () => {
    using story = await openStory();
    assert.deepEqual(story.kids(), ['first']);
    story.write(ringOf('second'));
    await story.look();
    assert.deepEqual(story.kids(), ['second']);
  });

  it('gives the same ring for as long as nothing changes', async () => {
    using story = await openStory();
    const ring = story.file.current();
    await story.look();
    assert.equal(story.file.current(), ring);
  });

  for (const [name, spoil] of [
    ['turns bad', (story: { write(text: string): void }) => story.write('{"secret":"canary')],
    ['loses its last key', (story: { write(text: string): void }) => story.write('{"keys":[]}')],
    ['goes away', (story: { remove(): void }) => story.remove()],
  ] as const) {
    it(`keeps the keys before when the file ${name}, says so once, and takes in the next good one`, async () => {
      using story = await openStory();
      spoil(story);
      await story.look();
      await story.look();
      assert.deepEqual(story.kids(), ['first']);
      assert.equal(story.warnings.length, 1);
      assert.doesNotMatch(story.warnings.join(), /canary/);
      story.write(ringOf('third'));
      await story.look();
      assert.deepEqual(story.kids(), ['third']);
    });
  }

  it('does not open where the file is bad or missing', async () => {
    await assert.rejects(openStory('[]'), /holds no key/);
    await assert.rejects(openTokenKeysFile('/nonexistent', { clock: createVirtualClock() }), /is no file/);
  });

  it('leaves no timer when it is closed', async () => {
    using story = await openStory();
    story.file.close();
    assert.equal(story.clock.pending(), 0);
  });
});
