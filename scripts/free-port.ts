import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems use for outgoing connections, so that a port stays free until it is used. */
const RANGE = [12_000, 21_000] as const;

/** To claim a port, the process listens on the port that is this much higher until it ends. No other process gets the port in the meantime. */
const CLAIM_ABOVE = 9_000;

/** Returns a port of this machine that nothing listens on. Each call returns a different one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...RANGE);
    const claim = await listenOn(port + CLAIM_ABOVE);
    if (claim !== undefined && (await isFree(port))) return port;
    claim?.close();
  }
}

/** Ports of this machine that nothing listens on. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}

/** Whether nothing listens on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port);
  if (probe === undefined) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** Listens on a port without keeping the process alive; undefined if another process already does. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, () => resolve(server));
  });
}
