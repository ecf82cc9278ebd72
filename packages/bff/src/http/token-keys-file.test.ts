import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createVirtualClock, settled, type VirtualClock } from '../testing/virtual-clock.ts';
import { openTokenKeysFile } from './token-keys-file.ts';

const keySetOf = (kid: string): string => JSON.stringify([{ kid, secret: 'canary'.repeat(8) }]);

/** A file of keys that is looked at every second of a clock that stands still. */
async function openHarness(text = keySetOf('first')) {
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
  for (const [name, corrupt] of [
    ['turns bad', (harness: { write(text: string): void }) => harness.write('{"secret":"canary')],
    ['loses its last key', (harness: { write(text: string): void }) => harness.write('{"keys":[]}')],
    ['goes away', (harness: { remove(): void }) => harness.remove()],
  ] as const) {
    it(`keeps the keys before when the file ${name}, says so once, and takes in the next good one`, async () => {
      using harness = await openHarness();
      corrupt(harness);
      await harness.look();
      await harness.look();
      assert.deepEqual(harness.kids(), ['first']);
      assert.equal(harness.warnings.length, 1);
      assert.doesNotMatch(harness.warnings.join(), /canary/);
      harness.write(keySetOf('third'));
      await harness.look();
      assert.deepEqual(harness.kids(), ['third']);
    });
  }

  it('leaves no timer when it is closed', async () => {
    using harness = await openHarness();
    harness.file.close();
    assert.equal(harness.clock.pending(), 0);
  });
});
