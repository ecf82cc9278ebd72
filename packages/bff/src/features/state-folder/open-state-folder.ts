import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { BackendDefinition } from '../../feature.ts';
import { fileText } from './file-text.ts';
import { stateFolderReport } from './state-folder-report.ts';
import { StateFolder } from './state-folder.ts';

/** How long stored text is kept after it was last saved. Redis keeps stored text for the same length of time. */
const KEEP_TEXT_MS = 400 * 86_400_000;

/** The variables of this backend. */
export const stateFolderVariables = {
  PULSE_STATE_DIR: z.string().optional().describe('A folder that keeps the last answers across restarts'),
};

/** Keeps the last good answers across restarts (`PULSE_STATE_DIR`). */
export const stateFolderBackend: BackendDefinition<typeof stateFolderVariables> = {
  variables: stateFolderVariables,
  async open({ config, warn, clock }, { PULSE_STATE_DIR: stateDir }) {
    if (stateDir === undefined) return undefined;
    const { expose: exposed, freshForMs } = config;
    void removeTextsBefore(clock.wallNow() - KEEP_TEXT_MS, join(stateDir, 'history'));
    const folder = new StateFolder(stateDir, { clock, warn, exposed, freshForMs });
    return {
      folder,
      feature: stateFolderReport(() => folder.fault),
      keptText: (name) => fileText(join(stateDir, `${name}.json`)),
      close: () => {},
    };
  },
};

/** Removes the texts of sources that no one has requested since `savedAtMs`. */
async function removeTextsBefore(savedAtMs: number, folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < savedAtMs) await rm(path, { force: true }).catch(() => {});
  }
}
