import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/**
 * Opens a relay on a free port to this machine's `targetPort`. The relay can be blocked. Data then waits in the relay,
 * and connections stay open.
 */
export async function openRelay(targetPort: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isBlocked = false;
  const server: Server = createServer((near) => {
    const far = createConnection(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on('data', (bytes) => void to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (isBlocked) from.pause();
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void) => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  const close = (): Promise<void> => {
    each((socket) => socket.destroy());
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  return {
    port: (server.address() as AddressInfo).port,
    block: () => {
      isBlocked = true;
      each((socket) => socket.pause());
    },
    unblock: () => {
      isBlocked = false;
      each((socket) => socket.resume());
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type Relay = Awaited<ReturnType<typeof openRelay>>;
