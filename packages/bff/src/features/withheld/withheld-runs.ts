import { isSourceId } from '@pulse-card/contract';
import { replaceFile } from '../../lib/replace-file.ts';

/** The text of a file with run IDs. Tools on Windows also write UTF-16. Throws if the content isn't text. */
export function textIn(content: Buffer): string {
  const [first, second] = content;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding, { fatal: true }).decode(content);
  if (text.includes('\0')) throw new TypeError('The content is not text');
  return text;
}

/** Reads run IDs from text with one ID per line. Blank lines and lines that begin with `#` are ignored. */
export function runsIn(text: string): { readonly runs: ReadonlySet<string>; readonly badLines: readonly number[] } {
  const lines = linesOf(text).map((line, at) => ({ id: line.trim(), number: at + 1 }));
  const named = lines.filter(({ id }) => id !== '' && !id.startsWith('#'));
  return {
    // IDs of runs have the same form as IDs of sources.
    runs: new Set(named.filter(({ id }) => isSourceId(id)).map(({ id }) => id)),
    badLines: named.filter(({ id }) => !isSourceId(id)).map(({ number }) => number),
  };
}

/**
 * Writes the file with or without a run, and keeps all other lines. Returns whether anything has changed. Throws if the
 * file can't be written.
 */
export function writeRun(path: string, text: string, run: string, isWithheld: boolean): boolean {
  if (runsIn(text).runs.has(run) === isWithheld) return false;
  const lines = linesOf(text).filter((line) => line.trim() !== run);
  while (lines.at(-1)?.trim() === '') lines.pop();
  replaceFile(path, [...lines, ...(isWithheld ? [run] : []), ''].join('\n'), 0o644);
  return true;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
