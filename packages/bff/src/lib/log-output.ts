import { fstatSync, write } from 'node:fs';
import { Socket } from 'node:net';

/** The maximum amount of text that waits to be written, in characters. Lines beyond it are dropped. */
const MAX_WAITING = 256 * 1024;

/** A write that takes longer than this counts as lost, in ms. */
const STUCK_MS = 5_000;

const RETRY_MS = 100;

type Writer = (text: string, done: (error: NodeJS.ErrnoException | null) => void) => void;

/**
 * Writes text to a file descriptor without ever blocking or throwing. Text that can't be written (a full disk, a closed
 * pipe, a pipe that no one reads, a lost terminal) is dropped and counted.
 */
export class LogOutput {
  /** How many lines were dropped. */
  lostLines = 0;
  readonly #write: Writer;
  #waiting = '';
  #writing = '';
  #startedAt = 0;
  #hasFailed = false;
  #onIdle: (() => void) | undefined;

  /** `ownsProcess`: whether no one else in this process writes to `fd`. */
  constructor(fd: number, { ownsProcess = false } = {}) {
    this.#write = ownsProcess && isStream(fd) ? socketWriter(fd) : (text, done) => write(fd, text, done);
  }

  /** Whether lines are currently being lost. */
  get isLost(): boolean {
    return this.#hasFailed || (this.#writing !== '' && performance.now() - this.#startedAt > STUCK_MS);
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > MAX_WAITING) this.lostLines += 1;
    else this.#waiting += line;
    if (this.#writing === '') this.#next();
  }

  /** Resolves once everything is written, or after `withinMs` at the latest. */
  async close(withinMs: number): Promise<void> {
    if (this.#writing === '') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, withinMs);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(late);
  }

  #next(): void {
    this.#writing = this.#waiting;
    this.#waiting = '';
    this.#startedAt = performance.now();
    if (this.#writing === '') this.#onIdle?.();
    else this.#tryOnce();
  }

  #tryOnce(): void {
    const text = this.#writing;
    this.#write(text, (error) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#tryOnce(), RETRY_MS).unref();
        return;
      }
      this.#hasFailed = error !== null;
      if (error !== null) this.lostLines += text.split('\n').length - 1;
      this.#next();
    });
  }
}

function isStream(fd: number): boolean {
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
function socketWriter(fd: number): Writer {
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.on('error', () => {});
  return (text, done) => void socket.write(text, (error) => done(error ?? null));
}
