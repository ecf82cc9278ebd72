import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenBackend } from '../../feature.ts';
import { fileText } from './file-text.ts';
import { StateFolder } from './state-folder.ts';

/** How long a text is kept after it was last saved: as long as in Redis. */
const KEEP_TEXT_MS = 400 * 86_400_000;

/** Keeps the last good answers over restarts (`PULSE_STATE_DIR`). */
export const openStateFolder: OpenBackend = async ({ stateDir, expose: exposed, freshForMs }, { warn, clock }) => {
  if (stateDir === undefined) return undefined;
  void removeTextsBefore(clock.wallNow() - KEEP_TEXT_MS, join(stateDir, 'history'));
  return {
    folder: new StateFolder(stateDir, { clock, warn, exposed, freshForMs }),
    keptText: (name) => fileText(join(stateDir, `${name}.json`)),
    close: () => {},
  };
};

/** Removes the texts of sources that no one has requested since `savedAtMs`. */
async function removeTextsBefore(savedAtMs: number, folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < savedAtMs) await rm(path, { force: true }).catch(() => {});
  }
}
