import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers that may wait behind others on one connection, and over all. Some 10 KiB each, asked for with 30 bytes by a client
 * that need not read; and what comes in one packet is answered in one go, while everybody else waits. Browsers ask for nothing so.
 */
const MAX_PIPELINED_PER_CONNECTION = 100;
const MAX_PIPELINED_TOTAL = 2_000;

export interface PipeliningOptions {
  /** @default 100 */
  readonly maxPerConnection?: number;
  /** @default 2000 */
  readonly maxTotal?: number;
}

/** Ends the connections of clients that ask and ask without waiting. */
export function limitPipelining(server: Server, options: PipeliningOptions = {}): void {
  const { maxPerConnection = MAX_PIPELINED_PER_CONNECTION, maxTotal = MAX_PIPELINED_TOTAL } = options;
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
    // One that asked a moment too early, as a client may whose answer is still on its way out of here, is no such client.
    const isTooMany = waiting > maxTotal && counted.count > 1;
    if (isTooMany || counted.count > maxPerConnection) endCheaply(socket);
  });
}

/** What Node reads requests with, in every version so far; without it, what was read at once would be worked through to its end. */
type Parsing = Socket & { readonly parser?: { pause?(): void } | null };

/** Node makes an error for each request whose connection ends before its answer: a thousand stacks would take longer than answers. */
function endCheaply(socket: Parsing): void {
  if (socket.destroyed) return;
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => (Error.stackTraceLimit = 0));
  socket.once('close', () => (Error.stackTraceLimit = stackTraceLimit));
  socket.parser?.pause?.();
  socket.destroy();
}
