import { isSourceId } from '@pulse-card/contract';
import { ConfigError, readVariables, unknownVariables } from '../config.ts';
import { textIn, writeRun } from '../features/withheld/withheld.ts';
import { readRegularFile } from '../lib/stored-text.ts';
import { print, type Shell } from './output.ts';

/** Adds a run to `PULSE_WITHHELD_FILE` or removes it from the file. Prints a line that reports what it did. */
export async function withhold({ env, stdout, stderr }: Shell, run: string, isWithheld: boolean): Promise<void> {
  const { PULSE_WITHHELD_FILE: path } = readVariables(env, 'PULSE_WITHHELD_FILE');
  if (path === undefined)
    throw new ConfigError(['PULSE_WITHHELD_FILE: is required, because it names the file to edit']);
  if (!isSourceId(run))
    throw new ConfigError(['The run ID isn’t valid: it must have 1 to 128 letters, digits, ".", "_", "~", or "-"']);
  print(stdout, await outcomeOf(path, run, isWithheld));
  print(stderr, ...unknownVariables(env));
}

async function outcomeOf(path: string, run: string, isWithheld: boolean): Promise<string> {
  const text = await textAt(path);
  try {
    if (!writeRun(path, text ?? '', run, isWithheld))
      return `The text of ${run} was ${isWithheld ? 'already withheld' : 'not withheld'}: nothing has changed`;
  } catch (cause) {
    throw faultOf('write', cause);
  }
  // If a file was lost, its runs are shown again as soon as a new file replaces it.
  const created = text === undefined ? 'The file didn’t exist, so it was created. ' : '';
  return `${created}The text of ${run} is ${isWithheld ? 'withheld' : 'restored'}. Each BFF that reads this file picks up the change within 60 seconds`;
}

/** The file's text; undefined if there is no file. */
async function textAt(path: string): Promise<string | undefined> {
  try {
    return textIn(await readRegularFile(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw faultOf('read', cause);
  }
}

function faultOf(verb: string, cause: unknown): Error {
  const { code = 'it isn’t text' } = cause as NodeJS.ErrnoException;
  return new Error(`Can’t ${verb} the file set in PULSE_WITHHELD_FILE (${code})`, { cause });
}
