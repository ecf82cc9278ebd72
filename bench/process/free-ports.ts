import { freePort } from '../../scripts/free-port.ts';

/** Ports of this machine that nothing listens on. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}
