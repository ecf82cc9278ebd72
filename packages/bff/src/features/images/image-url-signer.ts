import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { queryOf } from '../../http/locals.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * All signed URLs change at the same time, once per period. Responses can therefore be cached, and browsers can keep
 * charts.
 */
const PERIOD_MS = 3_600_000;

const SIGNATURE = /^[\w-]{43}$/;

/**
 * Signs image URLs, because an `<img>` can't send a token. Anyone who has the URL can load the chart for one run of
 * one source, for one to two hours.
 */
export class ImageUrlSigner {
  readonly #secrets: () => readonly KeyObject[];
  readonly #clock: Pick<Clock, 'wallNow'>;

  /** `secrets`: the secret to sign with, followed by earlier secrets that are still accepted. */
  constructor(secrets: () => readonly KeyObject[], clock: Pick<Clock, 'wallNow'>) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Changes whenever the URLs change. */
  get revision(): number {
    return Math.floor(this.#clock.wallNow() / PERIOD_MS);
  }

  /** The query for a chart's URL. */
  queryFor(sourceId: string, run: string): string {
    const expiresAt = String(((this.revision + 2) * PERIOD_MS) / 1_000);
    const [secret] = this.#secrets();
    if (secret === undefined) throw new Error('Can’t sign the chart’s URL: no secret is set');
    const signature = signatureOf(secret, sourceId, run, expiresAt).toString('base64url');
    return `run=${encodeURIComponent(run)}&exp=${expiresAt}&sig=${signature}`;
  }

  /** Returns whether anyone who has `query` is currently allowed to load this source's chart. */
  isSigned(sourceId: string, query: string): boolean {
    const [run, expiresAt, signature] = ['run', 'exp', 'sig'].map((name) => onlyOne(query, name));
    if (run === undefined || expiresAt === undefined || signature === undefined) return false;
    if (!/^\d{1,12}$/.test(expiresAt) || !SIGNATURE.test(signature)) return false;
    const given = Buffer.from(signature, 'base64url');
    // The last character has unused bits, so only one of its spellings is accepted.
    if (given.toString('base64url') !== signature) return false;
    const isBy = (secret: KeyObject) => timingSafeEqual(signatureOf(secret, sourceId, run, expiresAt), given);
    return this.#clock.wallNow() < Number(expiresAt) * 1_000 && this.#secrets().some(isBy);
  }
}

const CHART = /^\/v1\/sources\/([^/?]+)\/image\?/;

/** The source whose chart a signed URL requests. Undefined if the URL has no signature. */
export function signedSourceId(url: string): string | undefined {
  const segment = CHART.exec(url)?.[1];
  return segment !== undefined && queryOf({ url }).has('sig') ? decodeURIComponent(segment) : undefined;
}

function onlyOne(query: string, name: string): string | undefined {
  const values = new URLSearchParams(query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function signatureOf(secret: KeyObject, ...parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
}
