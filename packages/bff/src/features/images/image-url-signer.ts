import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/**
 * All signed URLs change at the same time, once per period. Responses can therefore be cached, and browsers can keep
 * charts.
 */
const PERIOD_MS = 3_600_000;

/**
 * Signs image URLs, because an `<img>` can't send a token. Anyone who has the URL can load the chart for one run of
 * one source, for one to two hours. `secrets`: the secret to sign with, followed by earlier ones that are still
 * accepted.
 */
export function imageUrlSigner(secrets: () => readonly [KeyObject, ...KeyObject[]], clock: Pick<Clock, 'wallNow'>) {
  const period = (): number => Math.floor(clock.wallNow() / PERIOD_MS);
  return {
    /** Changes whenever the URLs change. */
    get revision(): number {
      return period();
    },
    /** The query for a chart's URL. */
    queryFor(sourceId: string, run: string): string {
      const expiresAt = String(((period() + 2) * PERIOD_MS) / 1_000);
      const signature = signatureOf(secrets()[0], sourceId, run, expiresAt);
      return `run=${encodeURIComponent(run)}&exp=${expiresAt}&sig=${signature}`;
    },
    /** Returns whether anyone who has `query` is currently allowed to load this source's chart. */
    isSigned(sourceId: string, query: URLSearchParams): boolean {
      const names = ['run', 'exp', 'sig'];
      // If a parameter is repeated, a server in front of the BFF might read a different value.
      if (names.some((name) => query.getAll(name).length !== 1)) return false;
      const [run = '', expiresAt = '', signature = ''] = names.map((name) => query.get(name) ?? '');
      const given = Buffer.from(signature);
      const isBy = (secret: KeyObject): boolean => {
        const own = Buffer.from(signatureOf(secret, sourceId, run, expiresAt));
        return own.length === given.length && timingSafeEqual(own, given);
      };
      return clock.wallNow() < Number(expiresAt) * 1_000 && secrets().some(isBy);
    },
  };
}

function signatureOf(secret: KeyObject, ...parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}
