import { createHash } from 'node:crypto';

/** The two names of the service's hosts. */
export const HOST_NAMES = ['A', 'B'] as const;

/** A host of the service. */
export type HostName = (typeof HOST_NAMES)[number];

/** A call, or an attempt at one, as the upstream saw it. */
export interface Arrival {
  /** Monotonic and the same for all processes of the machine, in nanoseconds. */
  readonly atNs: number;
  readonly host: HostName;
  /** The path, or undefined for a connection that was cut before it could ask. */
  readonly path: string | undefined;
  /** The first characters of the key's SHA-256, or undefined where no key came. */
  readonly keyHash: string | undefined;
  /** The status that was answered, or undefined where nothing was. */
  readonly status: number | undefined;
  /** When the answer was sent or the connection was gone, in nanoseconds; undefined while neither is so. */
  answeredAtNs?: number;
}

/** The machine's monotonic clock, in nanoseconds; a number holds it exactly for a hundred days of uptime. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

/** A key as records may hold it. */
export function keyHashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12);
}
