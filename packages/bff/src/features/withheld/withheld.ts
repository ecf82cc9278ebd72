import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSourceId } from '@pulse-card/contract';
import { type Base, type Config, ConfigError } from '../../config.ts';
import { codeOf } from '../../lib/outgoing.ts';
import { replaceFile, writeFault } from '../../lib/replace-file.ts';
import { fileFault } from '../../lib/secret-file.ts';
import { readRegularFile } from '../../lib/stored-text.ts';
import { watchFile } from '../../lib/watched-file.ts';

/** The file is read at least this often, in ms, so that withheld text disappears within a minute. */
const MAX_RELOAD_MS = 30_000;

/** How long a process can lock the file, and how often other processes try again, in ms. */
const MAX_LOCKED_MS = 2_000;
const LOOK_AGAIN_MS = 20;

/** The runs whose AI-generated text is withheld (`PULSE_WITHHELD_FILE`). */
export type Withheld = NonNullable<Awaited<ReturnType<typeof openWithheld>>>;

/**
 * Opens the list. A file that has never existed counts as empty. Rejects with a `ConfigError` if it can't be read now.
 * If it can't be read later, the runs that were read last stay withheld.
 */
export async function openWithheld(
  { withheldFile: path, keyReloadMs, isMounted }: Config,
  { log, clock }: Pick<Base, 'log' | 'clock'>,
) {
  if (path === undefined) return undefined;
  let text = '';
  let runs: ReadonlySet<string> = new Set();
  let error: unknown;
  const use = (content: Buffer): void => {
    const changed = textIn(content);
    if (changed === text) return;
    const { badLines, runs: listed } = runsIn(changed);
    if (badLines.length > 0) log.warn(`PULSE_WITHHELD_FILE: line ${badLines.join(', ')} isn’t a run ID and is ignored`);
    runs = listed;
    text = changed;
  };
  const onRead = (fault: unknown): void => void (error = fault);
  const file = watchFile(path, { clock, everyMs: Math.min(keyReloadMs, MAX_RELOAD_MS), use, onRead });
  await file.reload();
  if (error !== undefined && codeOf(error) !== 'ENOENT') {
    file.close();
    throw new ConfigError([`PULSE_WITHHELD_FILE: ${fileFault(error)}`]);
  }
  return {
    has: (run: string): boolean => runs.has(run),
    /** In file order. */
    get runs(): readonly string[] {
      return [...runs];
    },
    /** Why the file currently provides no IDs. `missing` means that it used to exist. */
    get fault(): 'missing' | 'unreadable' | undefined {
      if (codeOf(error) === 'ENOENT') return runs.size > 0 ? 'missing' : undefined;
      return error === undefined ? undefined : 'unreadable';
    },
    get isWritable() {
      return !isMounted && writeFault(dirname(withoutLink(path))) === undefined;
    },
    /** Withholds or restores a run's text. Throws if the file can't be written. */
    set: async (run: string, isWithheld: boolean): Promise<void> => {
      // If the file is missing, this restores it with what was withheld.
      await writeRun(path, run, isWithheld, text);
      await file.reload();
    },
    /** Changes whenever the list changes. */
    get revision(): unknown {
      return runs;
    },
    reload: () => file.reload(),
    close: () => file.close(),
  };
}

/**
 * The text of a file with run IDs. It may be in UTF-16, which some Windows tools produce. Throws if the content isn't
 * text.
 */
export function textIn(content: Buffer): string {
  const encodings: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };
  const encoding = encodings[content.toString('hex', 0, 2)] ?? 'utf-8';
  const text = new TextDecoder(encoding, { fatal: true }).decode(content);
  if (text.includes('\0')) throw new TypeError('The content is not text');
  return text;
}

/** Reads run IDs from text with one ID per line. Blank lines and lines that begin with `#` are ignored. */
export function runsIn(text: string): { readonly runs: ReadonlySet<string>; readonly badLines: readonly number[] } {
  const lines = linesOf(text).map((line) => line.trim());
  const isIgnored = (line: string): boolean => line === '' || line.startsWith('#');
  return {
    // Run IDs have the same form as source IDs.
    runs: new Set(lines.filter(isSourceId)),
    badLines: lines.flatMap((line, at) => (isIgnored(line) || isSourceId(line) ? [] : at + 1)),
  };
}

/**
 * Writes the file with or without a run and keeps all other lines. `missing`: the text to change if there is no file.
 * Resolves to whether anything changed. Rejects if the file can't be read or written.
 */
export async function writeRun(path: string, run: string, isWithheld: boolean, missing = ''): Promise<boolean> {
  const target = withoutLink(path);
  const unlock = await lock(`${target}.lock`);
  try {
    const text = existsSync(target) ? textIn(await readRegularFile(target)) : missing;
    if (runsIn(text).runs.has(run) === isWithheld) return false;
    const lines = linesOf(text).filter((line) => line.trim() !== run);
    while (lines.at(-1)?.trim() === '') lines.pop();
    replaceFile(target, [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
    return true;
  } finally {
    unlock();
  }
}

/**
 * Locks the file, because another process that changes it at the same time would undo this change. Waits until the file
 * isn't locked. A lock that has existed for too long was left behind by a process that was killed, so it's removed.
 */
async function lock(path: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(path, '', { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs > MAX_LOCKED_MS) rmSync(path, { force: true });
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** The path of the file that `path` links to, because other instances may read that file. */
function withoutLink(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
