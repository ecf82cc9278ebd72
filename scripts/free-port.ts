import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, so that a port stays free until it is used. */
const RANGE = [12_000, 30_000] as const;

const given = new Set<number>();

/** A port of this machine that nothing listens on, another one at each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...RANGE);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

/** Whether nothing listens on a port of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}
