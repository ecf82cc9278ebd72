import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * The port range. Systems use higher ports for outgoing connections, so a port in this range stays free until it is
 * used.
 */
const RANGE = [12_000, 21_000] as const;

/**
 * To claim a port, the process listens on another port whose number is this much higher. No other process gets the
 * claimed port until this process ends.
 */
const CLAIM_ABOVE = 9_000;

/** Resolves to a port on this machine that no program is listening on. Each call resolves to a different port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...RANGE);
    const claim = await listenOn(port + CLAIM_ABOVE);
    const probe = claim && (await listenOn(port));
    if (probe !== undefined) {
      await new Promise((resolve) => probe.close(resolve));
      return port;
    }
    claim?.close();
  }
}

/** Resolves to several ports on this machine that no program is listening on. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}

/** Listens on a port without keeping the process alive. Resolves to undefined if the port is in use. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, () => resolve(server));
  });
}
