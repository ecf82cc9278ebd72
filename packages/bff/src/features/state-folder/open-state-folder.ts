import { join } from 'node:path';
import type { OpenBackend } from '../../feature.ts';
import { localText } from '../../lib/kept-text.ts';
import { StateFolder } from './state-folder.ts';

/** Keeps the last good answers over restarts (`PULSE_STATE_DIR`). */
export const openStateFolder: OpenBackend = async ({ stateDir, expose: exposed }, { warn }) => {
  if (stateDir === undefined) return undefined;
  return {
    folder: new StateFolder(stateDir, { warn, exposed }),
    keptText: (name) => localText(join(stateDir, `${name}.json`)),
    close: () => {},
  };
};
