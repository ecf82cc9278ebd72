import { createWriteStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** The maximum amount of text that can wait to be written, in bytes. Further lines are dropped. */
const MAX_WAITING = 256 * 1024;

/** A write that takes longer than this, in ms, counts as lost. */
const STUCK_MS = 5_000;

/**
 * Writes lines to a file descriptor without ever blocking or throwing. Lines that can't be written (a full disk, a
 * closed pipe, a pipe that no one reads, a lost terminal) are dropped.
 */
export class LogOutput {
  #stream: Writable;
  #hasFailed = false;
  #writtenAt = 0;

  /** `ownsProcess`: whether nothing else in this process writes to `fd`. */
  constructor(fd: number, { ownsProcess = false } = {}) {
    this.#stream = ownsProcess && isPipe(fd) ? openPipe(fd) : this.#openFile(fd);
  }

  /** Whether lines are currently being lost. */
  get isLost(): boolean {
    const isStuck = this.#stream.writableLength > 0 && performance.now() - this.#writtenAt > STUCK_MS;
    return this.#hasFailed || isStuck;
  }

  write(line: string): void {
    if (this.#stream.writableLength === 0) this.#writtenAt = performance.now();
    if (this.#stream.writableLength > MAX_WAITING) return;
    this.#stream.write(line, (error) => {
      this.#hasFailed = Boolean(error);
      this.#writtenAt = performance.now();
    });
  }

  /** Resolves once everything is written, or after `withinMs` at the latest. */
  close(withinMs: number): Promise<void> {
    const written = new Promise<void>((resolve) => void this.#stream.write('', () => resolve()));
    return Promise.race([written, setTimeout(withinMs, undefined, { ref: false })]);
  }

  /** Opens a stream. After an error, a new one replaces it, because a full disk might have space again. */
  #openFile(fd: number): Writable {
    const stream = createWriteStream('', { fd, autoClose: false });
    return stream.on('error', () => (this.#stream = this.#openFile(fd)));
  }
}

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/**
 * A thread that waits for a pipe that no one reads would keep the process from ending, so pipes are written without
 * blocking. Node restores the flags of standard output when it ends.
 */
function openPipe(fd: number): Writable {
  return new Socket({ fd, readable: false, writable: true }).on('error', () => {});
}
