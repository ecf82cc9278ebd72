import type { Mutation } from './mutation.ts';

const LEDGER = 'packages/bff/src/budget/memory-ledger.ts';
const LEDGER_TESTS = [
  'packages/bff/src/budget/memory-ledger.test.ts',
  'packages/bff/src/budget/budget-over-crashes.test.ts',
];
const CACHE = 'packages/bff/src/cache/pulse-cache.ts';
const CACHE_TEST = 'packages/bff/src/cache/pulse-cache.test.ts';
const UNKNOWN_TEST = 'packages/bff/src/cache/pulse-cache.unknown-ids.test.ts';
const OUTAGES_TEST = 'packages/bff/src/cache/pulse-cache.outages.test.ts';

/** What keeps the budget, and what is shown when. */
export const CACHE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'calls about one thing are one call',
    threats: ['T-11'],
    file: 'packages/bff/src/cache/flights.ts',
    from: 'if (under) return { flight: under, isNew: false };',
    to: '',
    tests: ['packages/bff/src/cache/flights.test.ts', CACHE_TEST],
  },
  {
    name: 'unknown ids make no call',
    threats: ['T-11'],
    file: CACHE,
    from: 'if (!this.#memory.ids.triesStrangers) return this.#unknown();',
    to: '',
    tests: [UNKNOWN_TEST],
  },
  {
    name: 'strangers pay out of a bucket of their own',
    threats: ['T-11'],
    file: LEDGER,
    from: "if (payer === 'known') return undefined;",
    to: 'if (payer) return undefined;',
    tests: [...LEDGER_TESTS, UNKNOWN_TEST],
  },
  {
    name: 'strangers crowd out nobody',
    threats: ['T-11'],
    file: 'packages/bff/src/cache/kept-cards.ts',
    from: "owner === 'known' ? [this.#known, this.#strangers] : [this.#strangers, this.#known]",
    to: 'owner === undefined ? [this.#strangers, this.#known] : [this.#known, this.#strangers]',
    tests: ['packages/bff/src/cache/kept-cards.test.ts', UNKNOWN_TEST],
  },
  {
    name: 'what is kept is bounded by bytes',
    threats: ['T-26'],
    file: 'packages/bff/src/cache/kept-cards.ts',
    from: 'const KNOWN_ROOM_BYTES = 32 * 1024 * 1024;',
    to: 'const KNOWN_ROOM_BYTES = 4 * 1024 * 1024 * 1024;',
    tests: ['packages/bff/src/cache/kept-cards.test.ts'],
  },
  {
    name: 'the reserve is left to others',
    threats: ['T-11'],
    file: 'packages/bff/src/budget/key-window.ts',
    from: 'Math.min(limit - reserve, limit - others - room)',
    to: 'Math.min(limit, limit - others - room)',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a late call does not leave',
    threats: ['T-11'],
    file: 'packages/bff/src/cache/caller.ts',
    from: 'if (askedAt > grant.leaveBefore) return this.#unsent(grant);',
    to: '',
    tests: [CACHE_TEST, OUTAGES_TEST, 'packages/bff/src/cache/caller.test.ts'],
  },
  {
    name: 'a lost call counts for longer',
    threats: ['T-11'],
    file: LEDGER,
    from: 'lost: now + LATE_ARRIVAL_MS',
    to: 'lost: undefined',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a restart begins with an empty purse',
    threats: ['T-11'],
    file: LEDGER,
    from: "new EvenPace(carefulPace(options), startedAt, 'full')",
    to: "new EvenPace(carefulPace(options), startedAt, 'empty')",
    tests: ['packages/bff/src/budget/budget-over-crashes.test.ts'],
  },
  {
    name: 'no call leaves while the service says 429',
    threats: ['T-28'],
    file: LEDGER,
    from: "if (pausedForMs > 0) return { reason: 'paused', retryInMs: pausedForMs };",
    to: '',
    tests: [...LEDGER_TESTS, OUTAGES_TEST],
  },
  {
    name: 'a refused key is tried once a minute',
    threats: ['T-29'],
    file: 'packages/bff/src/cache/caller.ts',
    from: "if (barredForMs > 0) return couldNot('upstream_auth', 'auth', barredForMs);",
    to: '',
    tests: ['packages/bff/src/cache/pulse-cache.key.test.ts'],
  },
  {
    name: 'a refused key ends what is shown',
    threats: ['T-29'],
    file: 'packages/bff/src/cache/trust.ts',
    from: "return verdict === 'stale' && isOver ? 'expired' : verdict;",
    to: "return isOver && verdict === 'expired' ? 'expired' : verdict;",
    tests: ['packages/bff/src/cache/trust.test.ts', 'packages/bff/src/cache/pulse-cache.key.test.ts'],
  },
  {
    name: 'no reader is shown what is too old',
    threats: ['T-29'],
    file: 'packages/bff/src/freshness/verdict.ts',
    from: "  return 'expired';",
    to: "  return 'stale';",
    tests: ['packages/bff/src/freshness/verdict.test.ts', OUTAGES_TEST],
  },
  {
    name: 'an older answer overwrites no newer one',
    threats: ['T-30'],
    file: 'packages/bff/src/cache/kept-cards.ts',
    from: 'if (before && before.fence > fence) return false;',
    to: '',
    tests: ['packages/bff/src/cache/kept-cards.test.ts'],
  },
  {
    name: 'a source that fails is left alone for longer and longer',
    threats: ['T-27', 'T-28'],
    file: 'packages/bff/src/cache/backoff.ts',
    from: 'return Math.max(SHORTEST_MS, Math.round(random() * ceilingMs));',
    to: 'return Math.round(random() * ceilingMs * 0);',
    tests: ['packages/bff/src/cache/backoff.test.ts', OUTAGES_TEST],
  },
  {
    name: 'no id that every object has is known',
    threats: ['T-43'],
    file: 'packages/bff/src/cache/known-sources.ts',
    from: 'return this.#named.has(sourceId) || this.#met.has(sourceId);',
    to: 'return sourceId in {} || this.#named.has(sourceId) || this.#met.has(sourceId);',
    tests: ['packages/bff/src/cache/known-sources.test.ts'],
  },
  {
    name: 'batches that are kept are bounded',
    threats: ['T-12'],
    file: 'packages/bff/src/http/batch-bodies.ts',
    from: 'const KEPT_BATCHES = { most: 200,',
    to: 'const KEPT_BATCHES = { most: 200_000,',
    tests: ['packages/bff/src/http/hit-path.test.ts'],
  },
];
