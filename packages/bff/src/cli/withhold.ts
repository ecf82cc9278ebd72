import { existsSync } from 'node:fs';
import { isSourceId } from '@pulse-card/contract';
import { ConfigError, readSettings } from '../config/config.ts';
import type { Variables } from '../config/variables.ts';
import { setWithheld, withheldVariables } from '../features/withheld/withheld-file.ts';

/** Adds a run to `PULSE_WITHHELD_FILE`, or removes it. Returns a line that says what was done. Throws `ConfigError`. */
export async function withholdRun(environment: Variables, run: string, isWithheld: boolean): Promise<string> {
  const { PULSE_WITHHELD_FILE: path } = readSettings(environment, withheldVariables);
  if (path === undefined)
    throw new ConfigError(['PULSE_WITHHELD_FILE: is required, because it names the file to edit']);
  if (!isSourceId(run))
    throw new ConfigError(['The run is not valid: a run id has 1 to 128 letters, digits, ".", "_", "~" or "-"']);
  const isNew = !existsSync(path);
  const hasChanged = await setWithheld(path, run, isWithheld).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new Error(`Cannot write the file set in PULSE_WITHHELD_FILE (${code})`, { cause });
  });
  const state = isWithheld ? 'withheld' : 'released';
  if (!hasChanged)
    return `The texts of ${run} were ${isWithheld ? 'already withheld' : 'not withheld'}: nothing has changed`;
  // The runs in a file that was lost are shown again as soon as a new file replaces it.
  const created = isNew ? 'The file did not exist, so it was created. ' : '';
  return `${created}The texts of ${run} are ${state}. Each BFF that reads this file follows within 60 seconds`;
}
