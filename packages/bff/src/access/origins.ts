import { isLoopbackHost } from '@pulse-card/contract';

/** The names by which a page on this machine may call it. */
const LOOPBACK_SPELLINGS = ['localhost', '127.0.0.1', '[::1]'];

/** What an `Origin` header means here. */
export type OriginVerdict = 'absent' | 'allowed' | 'forbidden';

/** Which pages' scripts may read answers: exact origins, or all. */
export class OriginRule {
  readonly isOpen: boolean;
  /** The origins of the BFF's own pages. */
  readonly own: readonly string[];
  readonly #allowed: ReadonlySet<string>;

  /** `publicUrl` is where the BFF itself is reached: pages from there are its own. */
  constructor(allowed: '*' | readonly string[], publicUrl: string) {
    this.isOpen = allowed === '*';
    this.own = ownOrigins(publicUrl);
    this.#allowed = new Set([...(allowed === '*' ? [] : allowed), ...this.own]);
  }

  /** Judges an `Origin` header by exact comparison: no suffix, no pattern, never `null`. */
  judge(origin: string | undefined): OriginVerdict {
    if (origin === undefined) return 'absent';
    return this.isOpen || this.#allowed.has(origin) ? 'allowed' : 'forbidden';
  }
}

function ownOrigins(publicUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(publicUrl);
  if (!isLoopbackHost(hostname)) return [origin];
  const suffix = port === '' ? '' : `:${port}`;
  return [...new Set([origin, ...LOOPBACK_SPELLINGS.map((spelling) => `${protocol}//${spelling}${suffix}`)])];
}
