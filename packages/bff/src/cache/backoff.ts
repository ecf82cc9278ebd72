/** The wait after the first failure is at most twice this. */
const FIRST_CEILING_MS = 1_000;
const HIGHEST_CEILING_MS = 60_000;

/** However lucky the draw, nobody is asked again sooner. */
const SHORTEST_MS = 1_000;

/** How long to leave a source alone after `inARow` failures: full jitter under a ceiling that doubles, to a minute. */
export function backoffMs(inARow: number, random: () => number): number {
  const ceilingMs = Math.min(HIGHEST_CEILING_MS, FIRST_CEILING_MS * 2 ** Math.min(inARow, 16));
  return Math.max(SHORTEST_MS, Math.round(random() * ceilingMs));
}

/** The wait after an unknown id was not found: a minute, doubled each time, up to a day. */
const FIRST_NEGATIVE_MS = 60_000;
const LONGEST_NEGATIVE_MS = 86_400_000;

/** How long an id that the upstream does not know is not asked for again, after `inARow` such answers. */
export function negativeMs(inARow: number, random: () => number): number {
  const fullMs = Math.min(LONGEST_NEGATIVE_MS, FIRST_NEGATIVE_MS * 2 ** Math.min(inARow - 1, 16));
  return Math.round(fullMs * (0.9 + 0.1 * random()));
}
