import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyHashOf } from '../upstream/arrival.ts';
import { BENCH_KEY } from '../upstream/recording-upstream.ts';
import { type Fault, failuresIn, firstAfterMs, onStage, stretch } from './stage.ts';

const NEW_KEY = 'pk_bench_fedcba9876543210';
const RELOAD_MS = 5_000;
const AFTER_MS = 40_000;

/** The key file is replaced under load; the old key is revoked once the new one must be in use. */
export const rotatedKey: Fault = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pulse-key-'));
  const file = join(folder, 'key');
  await writeFile(file, `${BENCH_KEY}\n`);
  try {
    // Fresh for less than the reload, so that there are calls to see.
    return await onStage({ PULSE_API_KEY_FILE: file, PULSE_FRESH_MS: '4000' }, async (stage) => {
      const { upstream, visitsBetween, arrivalsBetween } = stage;
      await upstream.acceptKeys([BENCH_KEY, NEW_KEY]);
      await writeFile(`${file}.new`, `${NEW_KEY}\n`);
      await rename(`${file}.new`, file);
      const [fromNs] = await stretch(RELOAD_MS + 1_000);
      await upstream.acceptKeys([NEW_KEY]);
      const [revokedNs, endNs] = await stretch(AFTER_MS);
      const arrivals = await arrivalsBetween(fromNs, endNs);
      const withKey = (key: string) => arrivals.filter(({ keyHash }) => keyHash === keyHashOf(key));
      return {
        title: 'A rotated key file',
        done: `The key file is replaced while both keys work; ${(RELOAD_MS + 1_000) / 1000} s later the old key is revoked. \`PULSE_KEY_RELOAD_MS\` is its default, ${RELOAD_MS}.`,
        facts: [
          ['visitor failures for known ids', failuresIn(visitsBetween(fromNs, endNs))],
          ['calls that were refused', arrivals.filter(({ status }) => status === 401).length],
          ['first call with the new key after, ms', firstAfterMs(withKey(NEW_KEY), fromNs)],
          [
            'calls with the old key after it was revoked',
            withKey(BENCH_KEY).filter(({ atNs }) => atNs >= revokedNs).length,
          ],
          ['calls with the new key', withKey(NEW_KEY).length],
        ],
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
