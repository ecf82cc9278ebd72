import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of answers that may wait for one client, and for all, to read them. */
const LIMITS = { perClient: 8 * 1024 * 1024, total: 128 * 1024 * 1024 };

/** Counts the bytes of answers that clients have not read yet, so that those who do not read fill no memory. */
export class UnsentBytes {
  readonly #limits: typeof LIMITS;
  readonly #byClient = new Map<string, number>();
  readonly #bySocket = new Map<Socket, number>();
  #total = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Returns whether `bytes` more may wait for a client; `clientOf` is called only where something waits. */
  allows(bytes: number, clientOf: () => string): boolean {
    if (this.#total === 0) return true;
    const waiting = this.#byClient.get(clientOf()) ?? 0;
    return waiting + bytes <= this.#limits.perClient && this.#total + bytes <= this.#limits.total;
  }

  /** Counts an answer of `bytes` that has been handed over, until the client has read it or is gone. */
  track({ socket }: IncomingMessage, response: ServerResponse, bytes: number, clientOf: () => string): void {
    // The operating system took it all.
    if (response.writableLength === 0 || socket.destroyed) return;
    const client = clientOf();
    if (!this.#bySocket.has(socket)) {
      this.#bySocket.set(socket, 0);
      socket.once('close', () => {
        this.#add(socket, client, -(this.#bySocket.get(socket) ?? 0));
        this.#bySocket.delete(socket);
      });
    }
    this.#add(socket, client, bytes);
    response.once('finish', () => this.#bySocket.has(socket) && this.#add(socket, client, -bytes));
  }

  #add(socket: Socket, client: string, bytes: number): void {
    this.#total += bytes;
    this.#bySocket.set(socket, (this.#bySocket.get(socket) ?? 0) + bytes);
    const waiting = (this.#byClient.get(client) ?? 0) + bytes;
    if (waiting === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, waiting);
  }
}
