import type { Mutation } from './mutation.ts';

/** What keeps the budget, and what is shown when. */
export const CACHE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'calls about one thing are one call',
    threats: ['T-11'],
    from: 'if (under) {',
    to: "if (under && subject === '') {",
  },
  {
    name: 'unknown ids make no call',
    threats: ['T-11'],
    from: 'if (!store.ids.allowsUnknown) return this.#unknown();',
    to: '',
  },
  {
    name: 'unknown ids pay out of a bucket of their own',
    threats: ['T-11'],
    from: "if (bucket === 'known') return undefined;",
    to: 'if (bucket) return undefined;',
  },
  {
    name: 'unknown ids evict no known ones',
    threats: ['T-11'],
    from: 'isKnown ? [this.#known, this.#unknowns] : [this.#unknowns, this.#known]',
    to: 'isKnown ? [this.#known, this.#unknowns] : [this.#known, this.#unknowns]',
  },
  {
    name: 'what is kept is bounded by bytes',
    threats: ['T-26'],
    from: 'const KNOWN_CAPACITY_BYTES = 32 * 1024 * 1024;',
    to: 'const KNOWN_CAPACITY_BYTES = 4 * 1024 * 1024 * 1024;',
  },
  {
    name: 'the reserve is left to others',
    threats: ['T-11'],
    from: 'Math.min(limit - reserve, limit - others - room)',
    to: 'Math.min(limit, limit - others - room)',
  },
  {
    name: 'a reported limit leaves one call a window',
    threats: ['T-28'],
    from: 'return Math.max(1, Math.min(',
    to: 'return Math.max(0, Math.min(',
  },
  {
    name: 'a reported limit lapses after a window',
    threats: ['T-28'],
    from: 'const reported = now < this.#reportedUntil ? this.#reportedLimit : undefined;',
    to: 'const reported = this.#reportedLimit;',
  },
  {
    name: 'answers of another account are dropped first',
    threats: ['T-31'],
    from: `    store.clear();
`,
    to: '',
  },
  {
    name: 'saved answers wait until the key is known to be of their account',
    threats: ['T-31'],
    from: 'if (!saved.hasKey(keyName())) return;',
    to: '',
  },
  {
    name: 'an answer to a key that was replaced is not used',
    threats: ['T-31'],
    from: 'else if (owner.keyName !== this.#options.keyName()) return false;',
    to: '',
  },
  {
    name: 'a late call does not leave',
    threats: ['T-11'],
    from: 'if (requestedAt > permit.expiresAt) return this.#unsent(permit);',
    to: '',
  },
  {
    name: 'a lost call counts for longer',
    threats: ['T-11'],
    file: 'packages/bff/src/budget/local-call-budget.ts',
    from: 'lost: now + LATE_ARRIVAL_MS',
    to: 'lost: undefined',
  },
  {
    name: 'a restart begins with an empty budget',
    threats: ['T-11'],
    from: "new LeakyBucket(coldStartRate(options), startedAt, 'full')",
    to: "new LeakyBucket(coldStartRate(options), startedAt, 'empty')",
  },
  {
    name: 'no call leaves while the service says 429',
    threats: ['T-28'],
    from: "if (pausedForMs > 0) return { reason: 'paused', retryInMs: pausedForMs };",
    to: '',
  },
  {
    name: 'a refused key is tried once a minute',
    threats: ['T-29'],
    from: "if (keyRetryInMs > 0) return notAttempted('upstream_auth', 'auth', keyRetryInMs);",
    to: '',
  },
  {
    name: 'a refused key ends what is shown',
    threats: ['T-29'],
    from: "if ((refusedForMs() ?? -Infinity) >= authStaleForMs) return 'expired';",
    to: '',
  },
  {
    name: 'no reader is shown what is too old',
    threats: ['T-29'],
    from: "  return 'expired';",
    to: "  return 'stale';",
  },
  {
    name: 'an older answer overwrites no newer one',
    threats: ['T-30'],
    from: 'if (before && before.fencingToken > fencingToken) return false;',
    to: '',
  },
  {
    name: 'a source that fails is left alone for longer and longer',
    threats: ['T-27', 'T-28'],
    from: 'return Math.round((ceilingMs * (1 + random())) / 2);',
    to: 'return Math.round(ceilingMs * random() * 0);',
  },
  {
    name: 'no id that every object has is known',
    threats: ['T-43'],
    from: 'return this.#named.has(sourceId) || this.#discovered.has(sourceId);',
    to: 'return sourceId in {} || this.#named.has(sourceId) || this.#discovered.has(sourceId);',
  },
  {
    name: 'bodies that are kept are bounded',
    threats: ['T-12'],
    from: 'const CAPACITY = { max: 1_000, bytes: 24',
    to: 'const CAPACITY = { max: 200_000, bytes: 24',
  },
];
