import { readFile } from 'node:fs/promises';
import { isSourceId } from '@pulse-card/contract';
import { z } from 'zod';
import { ConfigError } from '../../config/config.ts';
import type { Core } from '../../feature.ts';
import { repeat } from '../../lib/clock.ts';
import { replaceFile } from '../../lib/replace-file.ts';

/** The variables of this feature. */
export const withheldVariables = {
  PULSE_WITHHELD_FILE: z
    .string()
    .optional()
    .describe(
      'A file with the ids of runs whose AI text is withheld, one per line. The BFF reads it again when it changes',
    ),
};

/** Reads run ids from text with one id per line. Blank lines and lines that begin with `#` are ignored. */
export function runsIn(text: string): { readonly runs: ReadonlySet<string>; readonly badLines: readonly number[] } {
  const lines = text.split(/\r?\n/).map((line, at) => ({ id: line.trim(), number: at + 1 }));
  const named = lines.filter(({ id }) => id !== '' && !id.startsWith('#'));
  return {
    // Ids of runs have the same form as ids of sources.
    runs: new Set(named.filter(({ id }) => isSourceId(id)).map(({ id }) => id)),
    badLines: named.filter(({ id }) => !isSourceId(id)).map(({ number }) => number),
  };
}

/**
 * Adds a run to the file, or removes it from the file. Other lines stay. If the file doesn't exist, it is created with
 * `textIfMissing`. Returns whether the file has changed. Rejects if the file can't be written.
 */
export async function setWithheld(
  path: string,
  run: string,
  isWithheld: boolean,
  textIfMissing = '',
): Promise<boolean> {
  const text = (await textIn(path)) ?? textIfMissing;
  if (runsIn(text).runs.has(run) === isWithheld) return false;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== run);
  while (lines.at(-1)?.trim() === '') lines.pop();
  replaceFile(path, [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
  return true;
}

/** Why the file provides no ids. `missing`: it had ids before, and now it doesn't exist. */
export type WithheldFault = 'missing' | 'unreadable';

/** The file of `PULSE_WITHHELD_FILE`. The file is read again when it changes. */
export interface WithheldFile {
  /** The text that was read last. */
  readonly text: string;
  /** The ids in the text, in the order of the file. */
  readonly runs: ReadonlySet<string>;
  /** Changes whenever the content of the file changes. */
  readonly revision: number;
  /** Why the file provides no ids now; undefined if it does. */
  readonly fault: WithheldFault | undefined;
  /** Reads the file again. */
  read(): Promise<void>;
  close(): void;
}

export interface WithheldFileOptions extends Pick<Core, 'clock' | 'warn'> {
  readonly reloadMs: number;
}

/**
 * Opens the file. If the file later can't be read or is missing, the ids from the last read are kept. A file that has
 * never existed lists no ids. Rejects with a `ConfigError` if the file can't be read now.
 */
export async function openWithheldFile(path: string, options: WithheldFileOptions): Promise<WithheldFile> {
  const file = { text: '', runs: NO_RUNS, revision: 0, fault: undefined as WithheldFault | undefined };
  let [ignored, lastRead] = ['', Promise.resolve()];
  // Runs after pending reads. Older content therefore never replaces newer content.
  const read = (): Promise<void> => (lastRead = lastRead.then(readNow));
  async function readNow(): Promise<void> {
    try {
      const text = await textIn(path);
      if (text !== undefined) use(text);
      file.fault = text === undefined && file.runs.size > 0 ? 'missing' : undefined;
    } catch {
      file.fault = 'unreadable';
    }
  }
  function use(text: string): void {
    const { runs, badLines } = runsIn(text);
    if (text !== file.text) Object.assign(file, { text, runs, revision: file.revision + 1 });
    const lines = badLines.join(', ');
    if (lines !== '' && lines !== ignored)
      options.warn(`PULSE_WITHHELD_FILE: line ${lines} is not a run id, and is ignored`);
    ignored = lines;
  }
  await read();
  if (file.fault !== undefined)
    throw new ConfigError(['PULSE_WITHHELD_FILE: the file cannot be read; allow the user of this server to read it']);
  return Object.assign(file, { read, close: repeat(options.clock, options.reloadMs, read) });
}

const NO_RUNS: ReadonlySet<string> = new Set();

/** The text of the file; undefined if the file doesn't exist. */
async function textIn(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  });
}
