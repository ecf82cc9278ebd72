/** A phrase that makes readers stumble, and a better phrase. */
export interface ProsePattern {
  readonly pattern: RegExp;
  readonly write: string;
}

/** Patterns of compressed or inverted sentences. Each pattern is tested on one line of prose at a time. */
export const PROSE_PATTERNS: readonly ProsePattern[] = [
  {
    pattern: /\b[Ww]here (it|its|there|that|they|nobody|nothing|none|one|no|a|an|the) /,
    write: 'if, when, unless',
  },
  { pattern: /(?<!stand)(?<!leave)(?<!leaves)(?<!left)(?<!let) alone\b/, write: 'only, before the word' },
  { pattern: /\bof (its|their|your|our|one.s|his) own\b/, write: 'its own …, a separate …' },
  { pattern: /\b[Nn]obody\b|says? nothing|asks? nobody/, write: 'no one, doesn’t …' },
  {
    pattern: /\bat once\b|by itself|by themselves|for good|all the same/,
    write: 'immediately, automatically, permanently, anyway',
  },
  { pattern: /\b([Bb]esides?|, save )\b|\bbut (for|its|those|the one)\b/, write: 'next to, in addition to, except' },
  {
    pattern: /\b([Ww]hoever|[Ww]hatever|however (long|wide|many|often|that))\b/,
    write: 'anyone who, any, regardless of',
  },
  {
    pattern: /(has|have|had) come|as (it|they) comes?|is there|are there|is gone/,
    write: 'has arrived, exists, is loaded',
  },
  {
    pattern:
      /\b(stands?|lies|lie|stood)\b (in|at|on|beside|for|between|there|under|above|below|before|behind|after|next)\b/,
    write: 'is, appears',
  },
  {
    pattern:
      /\b(page|card|board|service|browser|server|reader’s page|it|that|which|BFF|element|host|proxy|Redis|script|widget)s? (wants?|speaks?|believes?|believed)\b/,
    write: 'requires, uses, trusts',
  },
  { pattern: /\b(goes|go|went|going) on\b/, write: 'continues' },
  {
    pattern: /\b(tells?|told|hears?|heard) (nothing|nobody|no|of|who|which|what)\b/,
    write: 'reports, logs, receives',
  },
  { pattern: /(is|as|to|than|from|by|of) (that|those) of\b/, write: 'the noun again' },
  { pattern: /[Ii]n place of/, write: 'instead of, replaces' },
  { pattern: /\bthe key before\b(?! (the|a|it|its|this|that)\b)/, write: 'the previous key' },
  { pattern: /\b(has|have|had) (every|all|each) \w+ (fail|go|come|wait|stop|show)\b/, write: 'makes every …' },
  { pattern: /, for (it|they|then|whoever|nobody|anyone) /, write: 'because' },
  {
    pattern: /(?<!['/](?=faults?(\.ts)?'))\b([Ff]aults?|[Tt]roubles?|[Mm]end(s|ed)?|eyebrow|way out|is another)\b/,
    write: 'error, problem, fix, outbound, different',
  },
];
