/** Refusals of one code for pages of one origin. */
export interface Refusal {
  readonly code: string;
  /** The origin; `none` where a request had no `Origin`, `other` for what is not kept apart. */
  readonly origin: string;
  readonly count: number;
  /** The source that was asked for last, where that is the reason. */
  readonly sourceId?: string | undefined;
}

/** A refusal with its meaning and what to do about it. */
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
  rate_limited: ['Asked too often', () => 'Nothing, it was slowed down. If these are readers: raise PULSE_CLIENT_RATE'],
};

/** Refusals with their meaning and what to do, most frequent first. */
export function turnedAway(refusals: readonly Refusal[]): TurnedAway[] {
  return refusals
    .map((refusal) => {
      const [words, advice] = TEXTS[refusal.code] ?? [refusal.code, () => ''];
      return { ...refusal, words, advice: advice(refusal) };
    })
    .toSorted((a, b) => b.count - a.count);
}
