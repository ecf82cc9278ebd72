import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { GrantMemory, Recalled, Recorded } from './grant-memory.ts';

/** The file is written anew when it is longer than this; it then holds the calls of the last hour alone. */
const LONGEST_FILE_BYTES = 128 * 1024;

/** Calls older than this are of no account to any window that can be configured. */
const KEEP_MS = 3_600_000;

/** Moments are written in whole milliseconds. */
const ROUNDING_MS = 2;

export interface GrantFileOptions {
  readonly clock: Clock;
  /** Tells this process's lines from those of others. @default the process id and a random number */
  readonly writer?: string;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/**
 * Keeps the calls in a file, a line each: when it was granted by the machine's clock, when by the wall's, and by whom.
 * Each process appends its line first and then looks what others have appended meanwhile: of two that write at once, one
 * at the least sees the other.
 */
export function createGrantFile(path: string, options: GrantFileOptions): GrantMemory {
  return new GrantFile(path, options);
}

class GrantFile implements GrantMemory {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #writer: string;
  readonly #warn: (message: string) => void;
  /** How much of the file this process has seen, and when it last looked. */
  #seenBytes = 0;
  #lookedAt = -Infinity;
  /** Which file that was: one that is written anew is another. */
  #fileId: number | undefined;

  constructor(path: string, { clock, writer, warn = () => {} }: GrantFileOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#writer = writer ?? `${process.pid}.${Math.random().toString(36).slice(2, 10)}`;
    this.#warn = warn;
  }

  recall(): Recalled {
    try {
      makeFolder(dirname(this.#path));
      const text = this.#textOrNone();
      if (text === undefined) return { kind: 'first-start' };
      return { kind: 'calls', agesMs: linesIn(text).map((line) => ageOf(line, this.#clock)) };
    } catch (cause) {
      this.#warn(`Cannot read the calls in "${this.#path}": ${codeOf(cause)}`);
      return { kind: 'unreadable' };
    }
  }

  record(): Recorded {
    try {
      appendFileSync(this.#path, this.#line(), { mode: 0o600 });
      const callsOfOthers = this.#newLines().filter((line) => !line.endsWith(` ${this.#writer}`)).length;
      if (this.#seenBytes > LONGEST_FILE_BYTES) this.#shorten();
      return { isKept: true, callsOfOthers };
    } catch (cause) {
      this.#warn(`Cannot write down a call in "${this.#path}": ${codeOf(cause)}`);
      return { isKept: false, callsOfOthers: 0 };
    }
  }

  #line(): string {
    return `${Math.floor(this.#clock.now())} ${Math.floor(this.#clock.wallNow())} ${this.#writer}\n`;
  }

  /** The whole file; undefined where there is none yet. */
  #textOrNone(): string | undefined {
    try {
      return this.#read(0);
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return undefined;
      throw cause;
    }
  }

  /** The lines that were added since the last look; where the file was written anew, those that are no older. */
  #newLines(): string[] {
    const [fileId, lookedAt] = [this.#fileId, this.#lookedAt];
    const text = this.#read(this.#seenBytes);
    if (this.#fileId === fileId) return linesIn(text);
    const sinceMs = this.#clock.now() - lookedAt + ROUNDING_MS;
    return linesIn(this.#read(0)).filter((line) => ageOf(line, this.#clock) <= sinceMs);
  }

  #read(fromBytes: number): string {
    const file = openSync(this.#path, 'r');
    try {
      const text = textFrom(file, fromBytes);
      [this.#seenBytes, this.#lookedAt, this.#fileId] = [
        fromBytes + text.length,
        this.#clock.now(),
        fstatSync(file).ino,
      ];
      return text;
    } finally {
      closeSync(file);
    }
  }

  /** Replaces the file by one without its old lines; a line that another process adds meanwhile is carried over. */
  #shorten(): void {
    const before = openSync(this.#path, 'r');
    try {
      const text = textFrom(before, 0);
      const kept = linesIn(text).filter((line) => ageOf(line, this.#clock) < KEEP_MS);
      writeFileSync(`${this.#path}.new`, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
      appendFileSync(this.#path, textFrom(before, text.length));
      this.#read(0);
    } finally {
      closeSync(before);
    }
  }
}

/** Makes one level and no more: asked for several, Node never returns where nothing may be made, as under /proc. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
  }
}

/** What a file holds from `fromBytes` on, a character for each byte. */
function textFrom(file: number, fromBytes: number): string {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - fromBytes));
  const length = readSync(file, bytes, 0, bytes.length, fromBytes);
  return bytes.toString('latin1', 0, length);
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The age of a call, never taken for older than either clock says; a line that can't be read is one made now. */
function ageOf(line: string, clock: Clock): number {
  const [, at, wallAt] = /^(\d{1,15}) (\d{1,15}) \S+$/.exec(line) ?? [];
  if (at === undefined || wallAt === undefined) return 0;
  return Math.max(0, Math.min(clock.now() - Number(at), clock.wallNow() - Number(wallAt)));
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
