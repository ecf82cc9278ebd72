import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MEBIBYTE = 1024 * 1024;

/**
 * The maximum number of unread response bytes in this process: for one connection, and for all connections together.
 */
const LIMITS = { perConnection: 8 * MEBIBYTE, total: 128 * MEBIBYTE };

/**
 * Counts the response bytes that clients haven't read yet, so that clients that don't read can't fill the memory. No
 * request is rejected. A connection that exceeds its limit is closed. If the total exceeds its limit, the connections
 * with the most unread bytes are closed.
 */
export class UnreadBytes {
  readonly #limits: typeof LIMITS;
  readonly #byConnection = new Map<Socket, number>();
  #total = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Call this when a response of `bytes` bytes has just ended. The bytes count as unread until the operating system has
   * accepted all of them.
   */
  add(response: ServerResponse, bytes: number): void {
    const { socket } = response.req;
    if (response.writableLength === 0 || socket.destroyed) return;
    if (!this.#byConnection.has(socket)) socket.once('close', () => this.#forget(socket));
    this.#change(socket, bytes);
    response.once('finish', () => this.#change(socket, -bytes));
    if ((this.#byConnection.get(socket) ?? 0) > this.#limits.perConnection) this.#cut(socket);
    while (this.#total > this.#limits.total) this.#cut(this.#largest());
  }

  #change(socket: Socket, bytes: number): void {
    // A response may finish after its connection was closed and forgotten.
    if (socket.destroyed) return;
    this.#byConnection.set(socket, (this.#byConnection.get(socket) ?? 0) + bytes);
    this.#total += bytes;
  }

  #cut(socket: Socket): void {
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#total -= this.#byConnection.get(socket) ?? 0;
    this.#byConnection.delete(socket);
  }

  #largest(): Socket {
    return [...this.#byConnection].reduce((max, each) => (each[1] > max[1] ? each : max))[0];
  }
}
