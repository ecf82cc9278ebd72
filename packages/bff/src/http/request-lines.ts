import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection are processed at a time. Browsers don't pipeline (HTTP/1.1). */
const MAX_AT_A_TIME = 4;

/** How many requests of one connection may wait for their turn. */
const MAX_WAITING = 100;

/** The requests of one connection without a complete response. */
interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Processes the requests of each connection in turn. Four are processed at a time, and 100 may wait. A connection with
 * more is closed. A turn ends when the operating system has taken the whole response.
 */
export class RequestLines {
  readonly #lines = new WeakMap<Socket, Line>();
  /** The lines with a request under way. */
  readonly #busy = new Set<Line>();
  readonly #onAllAnswered: () => void;

  /** Calls `onAllAnswered` each time no request is left. */
  constructor(onAllAnswered: () => void) {
    this.#onAllAnswered = onAllAnswered;
  }

  get isEmpty(): boolean {
    return this.#busy.size === 0;
  }

  /** Calls `work`, which writes `response`, when it is the request's turn. */
  add(response: ServerResponse, work: () => void): void {
    const { socket } = response.req;
    // Node still emits requests that it has read from a connection that has since been closed.
    if (socket.destroyed) return;
    const line = this.#lines.get(socket) ?? this.#open(socket);
    if (line.underWay === MAX_AT_A_TIME) return this.#wait(line, response, work);
    response.once('close', () => this.#endTurn(line));
    line.underWay += 1;
    this.#busy.add(line);
    work();
  }

  #wait(line: Line, response: ServerResponse, work: () => void): void {
    if (line.waiting.length === MAX_WAITING) return void response.req.socket.destroy();
    response.once('close', () => this.#endTurn(line));
    line.waiting.push(work);
  }

  #open(socket: Socket): Line {
    const line: Line = { underWay: 0, waiting: [] };
    this.#lines.set(socket, line);
    socket.once('close', () => {
      line.waiting.length = 0;
      this.#close(line);
    });
    return line;
  }

  #endTurn(line: Line): void {
    const next = line.waiting.shift();
    // The next request takes over the place of this one, so the count of requests under way stays the same. It runs in a
    // later turn of the event loop, so that other connections come first.
    if (next !== undefined) setImmediate(next);
    else if (--line.underWay === 0) this.#close(line);
  }

  #close(line: Line): void {
    if (this.#busy.delete(line) && this.isEmpty) this.#onAllAnswered();
  }
}
