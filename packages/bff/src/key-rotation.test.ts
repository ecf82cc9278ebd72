import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pulseBody, sourcesBody } from '@pulse-card/contract/examples';
import { answersWith, startFakeService } from './testing/fake-service.ts';
import { serveBff, type ServedBff, statusOf } from './testing/served-bff.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const [OLD, NEW] = ['old-key-0123456789', 'new-key-0123456789'];

/**
 * A way to replace the key in a folder that is mounted into a container. `write` replaces the key in the same way as
 * the tools that use this layout.
 */
type Layout = (folder: string) => { readonly write: (key: string) => void };

/** `install` removes the file and creates a new file with the same name and another inode. */
const installed: Layout = (folder) => ({
  write: (key) => {
    rmSync(join(folder, 'pulse-key'), { force: true });
    writeFileSync(join(folder, 'pulse-key'), `${key}\n`, { mode: 0o400 });
  },
});

/**
 * Kubernetes writes a separate folder for each version of a secret, and then points the link `..data` to that folder.
 */
const kubernetes: Layout = (folder) => {
  let version = 0;
  symlinkSync(join('..data', 'pulse-key'), join(folder, 'pulse-key'));
  return {
    write: (key) => {
      version += 1;
      mkdirSync(join(folder, `..2026_${version}`));
      writeFileSync(join(folder, `..2026_${version}`, 'pulse-key'), key);
      symlinkSync(`..2026_${version}`, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    },
  };
};

async function openRotation(layout: Layout) {
  const folder = temporaryFolder();
  const { write } = layout(folder.path);
  write(OLD);
  const valid = new Set([OLD]);
  const service = await startFakeService();
  service.answer = (request, response) => {
    const body = request.url === '/v1/sources' ? sourcesBody : pulseBody;
    const isValid = valid.has(String(request.headers['x-api-key']));
    const answer = isValid ? answersWith(body) : answersWith({ success: false, error: 'Invalid API key' }, 401);
    answer(request, response);
  };
  const served = await serveBff({
    PULSE_API_KEY_FILE: join(folder.path, 'pulse-key'),
    PULSE_KEY_RELOAD_MS: '50',
    PULSE_BASE_URL: service.url,
    // Every request makes a call, because answers are stale immediately and stale answers are never served.
    PULSE_FRESH_MS: '1',
    PULSE_STALE_MS: '0',
    PULSE_AUTH_STALE_MS: '0',
    PULSE_RATE_LIMIT: '1000000',
  });
  return {
    served,
    write,
    valid,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      folder.remove();
    },
  };
}

/** Reads repeatedly until `isDone`. Returns the statuses other than 200. */
async function readUntil(served: ServedBff, isDone: () => boolean): Promise<number[]> {
  const failed: number[] = [];
  do {
    const { status } = await served.read('src_1');
    if (status !== 200) failed.push(status);
    await pause(5);
  } while (!isDone());
  return failed;
}

/** Whether the service has accepted the new key. The log then says that the previous key can be revoked. */
const isTakenOver = ({ bff }: ServedBff) => statusOf(bff).keyFile?.takenOver === 1;

describe('a key that is replaced in its folder', () => {
  for (const [name, layout] of [
    ['by `install`, as a new file', installed],
    ['by Kubernetes, as a new `..data`', kubernetes],
  ] as const) {
    it(`${name}: causes no errors if the old key is revoked when the log says so`, async () => {
      await using rotation = await openRotation(layout);
      const { served, valid, write } = rotation;
      await readUntil(served, () => true);
      valid.add(NEW);
      write(NEW);
      const failed = await readUntil(served, () => isTakenOver(served));
      valid.delete(OLD);
      let reads = 0;
      failed.push(...(await readUntil(served, () => (reads += 1) > 100)));
      assert.deepEqual(failed, []);
      assert.deepEqual(statusOf(served.bff).keyFile, { state: 'in_use', takenOver: 1 });
    });
  }

  it('causes no errors, even if the old key expires just as the new key is written', async () => {
    await using rotation = await openRotation(installed);
    const { served, valid, write } = rotation;
    await readUntil(served, () => true);
    valid.clear();
    valid.add(NEW);
    write(NEW);
    assert.deepEqual(await readUntil(served, () => isTakenOver(served)), []);
  });
});
