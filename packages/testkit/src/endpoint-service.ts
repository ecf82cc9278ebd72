import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Simulates a Kubernetes Service, which sends each connection to any of its endpoints and learns about changes with a
 * delay.
 */
export interface EndpointService {
  readonly port: number;
  /** After `delayMs`, this port also receives connections. */
  add(port: number): Promise<void>;
  /** After `delayMs`, this port no longer receives new connections. Open connections stay open. */
  remove(port: number): Promise<void>;
  stop(): void;
}

/** Starts a Service whose endpoints change after a delay of `delayMs`. */
export async function startEndpointService(delayMs: number): Promise<EndpointService> {
  const endpoints: number[] = [];
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((client) => {
    const port = endpoints[(next += 1) % endpoints.length];
    const upstream = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from));
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async add(port) {
      await pause(delayMs);
      endpoints.push(port);
    },
    async remove(port) {
      await pause(delayMs);
      endpoints.splice(endpoints.indexOf(port), 1);
    },
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
