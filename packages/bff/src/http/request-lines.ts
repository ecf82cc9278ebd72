import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests on one connection are processed at the same time. Browsers don't pipeline (HTTP/1.1). */
const MAX_AT_A_TIME = 4;

/** How many requests on one connection are allowed to wait until others are done. */
const MAX_WAITING = 100;

/** The pending requests on one connection. */
interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Processes the requests on each connection in order. Four requests are processed at the same time, and up to 100 may
 * wait. A connection with more waiting requests is closed. When the operating system has accepted a whole response, the
 * next request starts.
 */
export class RequestLines {
  readonly #lines = new WeakMap<Socket, Line>();
  /** The connections that have a request under way. */
  readonly #busy = new Set<Line>();
  readonly #onAllAnswered: () => void;

  /** Calls `onAllAnswered` each time no request is left. */
  constructor(onAllAnswered: () => void) {
    this.#onAllAnswered = onAllAnswered;
  }

  get isEmpty(): boolean {
    return this.#busy.size === 0;
  }

  /** When it is the request's turn, calls `work`, which writes `response`. */
  add(response: ServerResponse, work: () => void): void {
    const { socket } = response.req;
    // Node may still emit requests on a connection that has been closed in the meantime.
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
    // The next request replaces this one, so the number of requests under way stays the same. The next request runs in
    // a later turn of the event loop, so that other connections come first.
    if (next !== undefined) setImmediate(next);
    else if (--line.underWay === 0) this.#close(line);
  }

  #close(line: Line): void {
    if (this.#busy.delete(line) && this.isEmpty) this.#onAllAnswered();
  }
}
