import { existsSync } from 'node:fs';
import { isSourceId } from '@pulse-card/contract';
import { ConfigError, readVariables, unknownVariables } from '../config.ts';
import { writeRun } from '../features/withheld/withheld.ts';
import { fileReason } from '../lib/secret-file.ts';
import { print, type Shell } from './output.ts';

/** Adds a run to `PULSE_WITHHELD_FILE` or removes it from the file. Prints a line that reports what it did. */
export async function withhold({ env, stdout, stderr }: Shell, run: string, isWithheld: boolean): Promise<void> {
  const { PULSE_WITHHELD_FILE: path } = readVariables(env, 'PULSE_WITHHELD_FILE');
  if (path === undefined)
    throw new ConfigError(['PULSE_WITHHELD_FILE: is required, because it names the file to edit']);
  if (!isSourceId(run))
    throw new ConfigError(['The run ID isn’t valid: it must have 1 to 128 letters, digits, ".", "_", "~", or "-"']);
  print(stdout, await outcomeOf(path, run, isWithheld));
  if (isWithheld && isLikeSource(run))
    print(
      stderr,
      `${run} looks like a source ID. If it is one, run pulse-bff release ${run} and use the pulse’s jobRunId`,
    );
  print(stderr, ...unknownVariables(env));
}

async function outcomeOf(path: string, run: string, isWithheld: boolean): Promise<string> {
  const isNew = !existsSync(path);
  try {
    if (!(await writeRun(path, run, isWithheld)))
      return `${run} was ${isWithheld ? 'already' : 'not'} in the file: nothing has changed`;
  } catch (cause) {
    throw new Error(`Can’t change the file set in PULSE_WITHHELD_FILE: ${fileReason(cause)}`, { cause });
  }
  // If a file was lost, its runs are shown again as soon as a new file replaces it.
  const created = isNew ? 'The file didn’t exist, so it was created. ' : '';
  const subject = isWithheld && isLikeSource(run) ? `If ${run} is a run, its text` : `The text of ${run}`;
  return `${created}${subject} is ${isWithheld ? 'withheld' : 'restored'}. Each BFF that reads this file picks up the change within 60 seconds`;
}

/** Whether `run` may be a source ID by mistake. Both kinds of ID have the same form, so this can only be a guess. */
function isLikeSource(run: string): boolean {
  return run.startsWith('src_');
}
