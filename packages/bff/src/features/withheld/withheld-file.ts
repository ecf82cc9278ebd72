import { readFile } from 'node:fs/promises';
import { isSourceId } from '@pulse-card/contract';
import { z } from 'zod';
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
 * Adds a run to the file, or removes it from the file. Other lines stay. Returns whether the file has changed. Rejects
 * if the file can't be written.
 */
export async function setWithheld(path: string, run: string, isWithheld: boolean): Promise<boolean> {
  const text = await textOf(path);
  if (runsIn(text).runs.has(run) === isWithheld) return false;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== run);
  while (lines.at(-1)?.trim() === '') lines.pop();
  replaceFile(path, [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
  return true;
}

/** The file of `PULSE_WITHHELD_FILE`. The file is read again when it changes. */
export interface WithheldFile {
  /** The ids, in the order of the file. */
  readonly runs: ReadonlySet<string>;
  /** Changes whenever the content of the file changes. */
  readonly revision: number;
  /** Reads the file again. */
  read(): Promise<void>;
  close(): void;
}

export interface WithheldFileOptions extends Pick<Core, 'clock' | 'warn'> {
  readonly reloadMs: number;
}

/** Opens the file. If the file can't be read, the ids from the last read are kept. */
export async function openWithheldFile(path: string, options: WithheldFileOptions): Promise<WithheldFile> {
  const file = { text: '', runs: new Set<string>() as ReadonlySet<string>, revision: 0 };
  let [problem, lastRead] = ['', Promise.resolve()];
  // Runs after pending reads. Older content therefore never replaces newer content.
  const read = (): Promise<void> => (lastRead = lastRead.then(readNow));
  async function readNow(): Promise<void> {
    const found = await textOf(path).then(use, () => UNREADABLE);
    if (found !== '' && found !== problem) options.warn(`PULSE_WITHHELD_FILE: ${found}`);
    problem = found;
  }
  function use(text: string): string {
    const { runs, badLines } = runsIn(text);
    if (text !== file.text) Object.assign(file, { text, runs, revision: file.revision + 1 });
    return badLines.length === 0 ? '' : `line ${badLines.join(', ')} is not a run id, and is ignored`;
  }
  await read();
  return Object.assign(file, { read, close: repeat(options.clock, options.reloadMs, read) });
}

const UNREADABLE = 'the file cannot be read; withheld text stays withheld';

/** The text of the file; empty if the file doesn't exist yet. */
async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw cause;
  });
}
