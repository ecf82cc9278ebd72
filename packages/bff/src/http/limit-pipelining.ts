import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers that may wait behind others on their connections, over all connections. One costs some 10 KiB, and a client can
 * ask for a thousand of them with 30 KB and never read: browsers do not ask so, and whoever does can ask again.
 */
const MOST_WAITING = 4_000;

export interface PipeliningOptions {
  /** @default 4000 */
  readonly mostWaiting?: number;
}

/** Ends the connections of clients that ask and ask without reading, once too many answers wait for all of them. */
export function limitPipelining(server: Server, { mostWaiting = MOST_WAITING }: PipeliningOptions = {}): void {
  const waitingOn = new WeakMap<Socket, { count: number }>();
  let waiting = 0;

  function countOf(socket: Socket): { count: number } {
    const known = waitingOn.get(socket);
    if (known !== undefined) return known;
    const counted = { count: 0 };
    waitingOn.set(socket, counted);
    socket.once('close', () => {
      waiting -= counted.count;
      counted.count = 0;
    });
    return counted;
  }

  server.prependListener('request', ({ socket }, response) => {
    // An answer has its connection from the start unless another is being written there.
    if (response.socket !== null) return;
    const counted = countOf(socket);
    counted.count += 1;
    waiting += 1;
    response.once('socket', () => {
      counted.count -= 1;
      waiting -= 1;
    });
    if (waiting > mostWaiting) socket.destroy();
  });
}
