import type { ErrorCode } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import { isSerializedOrigin } from '../http/origins.ts';
import type { ResponseRecord } from '../http/context.ts';

/** Codes that refuse what was requested, as opposed to failures of the upstream. */
export const REFUSAL_CODES: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'origin_forbidden',
  'token_missing',
  'token_invalid',
  'token_forbidden',
  'rate_limited',
  'source_unknown',
  'bad_request',
]);

/** Pairs of code and origin that are counted; a visitor can invent any number of origins. */
const MAX_PAIRS = 200;

/** Refusals by code, then by origin: `none` for a request without `Origin`, `other` for origins that are not counted separately. */
export type RefusalCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

type CountedRefusal = { -readonly [Name in keyof Refusal]: Refusal[Name] };

/** Counts refusals by code and origin. */
export class RefusalCounter {
  readonly #pairs = new LRUCache<string, CountedRefusal>({
    max: MAX_PAIRS,
    dispose: ({ code, count }, _name, reason) => {
      if (reason === 'evict') this.#forgotten.set(code, (this.#forgotten.get(code) ?? 0) + count);
    },
  });
  /** Refusals by code whose origin was evicted. */
  readonly #forgotten = new Map<string, number>();

  /** Records a response. */
  record({ code, request, sourceIds }: Pick<ResponseRecord, 'code' | 'request' | 'sourceIds'>): void {
    if (code === undefined || !REFUSAL_CODES.has(code)) return;
    const origin = originName(request.headers.origin);
    const name = `${code} ${origin}`;
    const pair: CountedRefusal = this.#pairs.get(name) ?? { code, origin, count: 0 };
    pair.count += 1;
    if (code === 'source_unknown') pair.sourceId = sourceIds?.[0];
    this.#pairs.set(name, pair);
  }

  /** All refusals since the start. */
  list(): Refusal[] {
    const forgotten = Array.from(this.#forgotten, ([code, count]) => ({ code, origin: 'other', count }));
    return [...this.#pairs.values(), ...forgotten];
  }

  counts(): RefusalCounts {
    const counts: Record<string, Record<string, number>> = {};
    for (const { code, origin, count } of this.list()) {
      const ofCode = (counts[code] ??= {});
      ofCode[origin] = (ofCode[origin] ?? 0) + count;
    }
    return counts;
  }
}

function originName(origin: string | undefined): string {
  if (origin === undefined) return 'none';
  return isSerializedOrigin(origin) ? origin : 'other';
}

/** Refusals of one code for pages of one origin. */
export interface Refusal {
  readonly code: string;
  /** The origin; `none` for a request without `Origin`, `other` for origins that are not counted separately. */
  readonly origin: string;
  readonly count: number;
  /** The last source that was requested, if the code is `source_unknown`. */
  readonly sourceId?: string | undefined;
}

/** A refusal with an explanation and what to do about it. */
export interface TurnedAway extends Refusal {
  readonly words: string;
  readonly advice: string;
}

type Texts = readonly [words: string, advice: (refusal: Refusal) => string];

const TEXTS: Readonly<Record<string, Texts>> = {
  origin_forbidden: [
    'This site is not allowed',
    ({ origin }) =>
      origin === 'null'
        ? 'Serve the page over https: from an origin in PULSE_ALLOWED_ORIGINS'
        : 'If it is yours: add it to PULSE_ALLOWED_ORIGINS',
  ],
  source_unknown: [
    'No such source',
    ({ sourceId }) => (sourceId === undefined ? 'Correct the source-id' : `A page still shows ${sourceId}`),
  ],
  token_missing: ['No token', () => 'Set token or tokenProvider on the card'],
  token_invalid: ['Token refused', () => 'Paste the token into the Check page to see why'],
  token_forbidden: ['Token of another source or site', () => 'Mint a token that names this source and this site'],
  bad_request: ['Address that servers read differently', () => 'Nothing, unless a proxy of yours changes addresses'],
  rate_limited: ['Asked too often', () => 'Nothing, it was slowed down. If these are readers: raise PULSE_CLIENT_RATE'],
};

/** Refusals with an explanation and what to do, most frequent first. */
export function turnedAway(refusals: readonly Refusal[]): TurnedAway[] {
  return refusals
    .map((refusal) => {
      const [words, advice] = TEXTS[refusal.code] ?? [refusal.code, () => ''];
      return { ...refusal, words, advice: advice(refusal) };
    })
    .toSorted((a, b) => b.count - a.count);
}
