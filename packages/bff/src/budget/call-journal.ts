import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import type { Clock } from '../clock.ts';

/** A longer file is replaced by one with the calls of the last hour only. */
const MAX_FILE_BYTES = 128 * 1024;

/** The most that is read, from the end of the file. */
const READ_BYTES = 1024 * 1024;

/** The longest window that can be configured; older calls do not count. */
const KEEP_MS = 3_600_000;

/** Times are written in whole milliseconds. */
const ROUNDING_MS = 2;

/** In place of a boot id, on a machine that has none. */
const NO_BOOT_ID = '-';

/** What the call budget needs of a journal. */
export type CallJournal = Pick<FileCallJournal, 'load' | 'append'>;

export interface FileCallJournalOptions {
  readonly clock: Clock;
  /** Identifies the boot of the machine, within which the monotonic clock counts on; null: unknown. @default that of this machine, on Linux */
  readonly bootId?: string | null;
  /** Identifies the lines of this process. @default the process id and a random number */
  readonly writer?: string;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Linux names each boot; other systems do not. */
function currentBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Write-ahead journal of calls, so that a restarted process, or a second one, knows what the key has spent. Its entries only
 * add to the calls that count; a lost or unreadable entry is not counted.
 *
 * A file with one line for each call: boot id, monotonic time, wall time and writer. Each process appends its line
 * first and then reads what others have appended: of two that append at once, at least one sees the other.
 */
export class FileCallJournal {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #bootId: string;
  readonly #writer: string;
  readonly #warn: (message: string) => void;
  /** How much of the file this process has read, and when. */
  #seenBytes = 0;
  #lookedAt = -Infinity;
  /** The inode of that file; a replaced file has another one. */
  #fileId: number | undefined;
  /** Why the file cannot be used, so that it is logged once. */
  #fault: string | undefined;

  constructor(path: string, { clock, bootId = currentBootId(), writer, warn = () => {} }: FileCallJournalOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#bootId = bootId ?? NO_BOOT_ID;
    this.#writer = writer ?? `${process.pid}.${Math.random().toString(36).slice(2, 10)}`;
    this.#warn = warn;
  }

  /** The calls of earlier processes: how long ago each was granted, in ms. */
  load(): readonly number[] {
    try {
      const ages = linesIn(this.#textOrNone() ?? '').map((line) => this.#ageOf(line));
      const known = ages.filter((ageMs) => ageMs !== undefined);
      if (known.length < ages.length)
        this.#warn(
          `Lines of "${this.#path}" that name no call of the past, and are ignored: ${ages.length - known.length}`,
        );
      return known;
    } catch (cause) {
      this.#complain(cause);
      return [];
    }
  }

  /** Appends a call before it is sent. Returns how many calls other processes have appended since the last call of this method. */
  append(): number {
    try {
      appendFileSync(this.#path, this.#line(), { mode: 0o600 });
      const callsOfOthers = this.#newLines().filter((line) => !line.endsWith(` ${this.#writer}`)).length;
      if (this.#seenBytes > MAX_FILE_BYTES) this.#shorten();
      this.#fault = undefined;
      return callsOfOthers;
    } catch (cause) {
      this.#complain(cause);
      return 0;
    }
  }

  #complain(cause: unknown): void {
    const fault = codeOf(cause);
    if (fault !== this.#fault) this.#warn(`Cannot write down calls in "${this.#path}": ${fault}`);
    this.#fault = fault;
  }

  /** Begins with a line break, since a full disk may have cut the last line short. */
  #line(): string {
    const [at, wallAt] = [Math.floor(this.#clock.now()), Math.floor(this.#clock.wallNow())];
    return `\n${this.#bootId} ${at} ${wallAt} ${this.#writer}\n`;
  }

  /**
   * How long ago the call of a line was granted, in ms: by the monotonic clock within one boot, else by the wall's.
   * Undefined for a line that cannot be read, or that lies in the future, as after a clock was set back.
   */
  #ageOf(line: string): number | undefined {
    const [, bootId, at, wallAt] = /^(\S{1,64}) (\d{1,15}) (\d{1,15}) \S+$/.exec(line) ?? [];
    const isThisBoot = bootId === this.#bootId && bootId !== NO_BOOT_ID;
    const ageMs = isThisBoot ? this.#clock.now() - Number(at) : this.#clock.wallNow() - Number(wallAt);
    return ageMs >= 0 ? ageMs : undefined;
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

  /** The lines that were appended since the last read; in a replaced file, those that are no older. */
  #newLines(): string[] {
    const [fileId, lookedAt] = [this.#fileId, this.#lookedAt];
    const text = this.#read(this.#seenBytes);
    if (this.#fileId === fileId) return linesIn(text);
    const sinceMs = this.#clock.now() - lookedAt + ROUNDING_MS;
    return linesIn(this.#read(0)).filter((line) => (this.#ageOf(line) ?? 0) <= sinceMs);
  }

  #read(fromBytes: number): string {
    const file = openSync(this.#path, 'r');
    try {
      const { text, endBytes } = textFrom(file, fromBytes);
      [this.#seenBytes, this.#lookedAt, this.#fileId] = [endBytes, this.#clock.now(), fstatSync(file).ino];
      return text;
    } finally {
      closeSync(file);
    }
  }

  /** Replaces the file by one without its old lines; lines that other processes append meanwhile are copied. */
  #shorten(): void {
    const before = openSync(this.#path, 'r');
    try {
      const { text, endBytes } = textFrom(before, 0);
      const recent = linesIn(text).filter((line) => (this.#ageOf(line) ?? Infinity) < KEEP_MS);
      // A name of its own, as two processes may shorten the file at once.
      const shortPath = `${this.#path}.${this.#writer}`;
      writeFileSync(shortPath, recent.map((line) => `${line}\n`).join(''), { mode: 0o600 });
      renameSync(shortPath, this.#path);
      appendFileSync(this.#path, textFrom(before, endBytes).text);
      this.#read(0);
    } finally {
      closeSync(before);
    }
  }
}

/** The text of a file from `fromBytes` on, a character for each byte, and where the file ends. */
function textFrom(file: number, fromBytes: number): { text: string; endBytes: number } {
  const { size } = fstatSync(file);
  const beginBytes = Math.max(fromBytes, size - READ_BYTES);
  const bytes = Buffer.alloc(Math.max(0, size - beginBytes));
  const length = readSync(file, bytes, 0, bytes.length, beginBytes);
  return { text: bytes.toString('latin1', 0, length), endBytes: beginBytes + length };
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
