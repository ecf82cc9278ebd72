import type { CacheStatus } from '../cache/cache-status.ts';
import type { ClusterStatus } from '../cache/port.ts';
import { type KeyExpiry, expiryWords } from '../alerts/key-expiry.ts';
import type { KeyFileStatus } from '../upstream/key-file.ts';
import { type ReaderOutcomes, readerProblem } from './reader-outcomes.ts';
import type { ImageCounts } from './reader-statistics.ts';

/** The severity. `down`: charts are not refreshed; `degraded`: something works less well. */
export type SummaryLevel = 'ok' | 'degraded' | 'down';

/** The state in plain words. */
export interface StatusSummary {
  readonly level: SummaryLevel;
  /** One or two short sentences: what is going on. */
  readonly headline: string;
  /** What to do, and what happens without action. */
  readonly advice: string;
}

/** The state of one host of the service. */
export interface SummaryHost {
  readonly name: 'main' | 'alt';
  /** `failing`: the last call failed; `down`: no call until the next try; `recovering`: it answers again, and gets calls back soon. */
  readonly state: 'well' | 'failing' | 'down' | 'recovering';
  /** How long until the next try; 0 where calls may go to it. */
  readonly nextTryInMs: number;
  /** How long ago it answered last; undefined where it never did. */
  readonly lastAnswerAgoMs: number | undefined;
}

/** What the summary is made of. Durations in milliseconds. */
export interface SummaryFacts extends Pick<CacheStatus, 'ready' | 'key' | 'budget'> {
  readonly stopping: boolean;
  readonly hosts: readonly SummaryHost[];
  /** How long cached charts can still be shown without a new answer; undefined if none is cached. */
  readonly chartsLastMs: number | undefined;
  /** Null where there is no Redis. */
  readonly redis: ClusterStatus | null;
  readonly keyFile: KeyFileStatus | null;
  readonly keyExpiry: KeyExpiry | null;
  readonly images: ImageCounts;
  readonly outcomes: ReaderOutcomes;
  /** The origin whose pages are refused most often; undefined where none is named. */
  readonly refusedOrigin: string | undefined;
  /** What the operator should look into, such as a proxy that `TRUST_PROXY` does not name. */
  readonly warnings: readonly string[];
  readonly sources: {
    /** With readers, and older than they should be. */
    readonly behind: number;
    /** With readers, and nothing to show. */
    readonly missing: number;
    /** Age of the oldest chart with readers; undefined where there is none. */
    readonly oldestAgeMs: number | undefined;
    /** How long until the next of those behind is refreshed; undefined where that is open. */
    readonly nextRefreshInMs: number | undefined;
  };
  /** A reader was answered. */
  readonly hasReaders: boolean;
}

type Circumstance = (facts: SummaryFacts) => StatusSummary | undefined;

/** Summarises the state; the most serious circumstance wins. */
export function statusSummary(facts: SummaryFacts): StatusSummary {
  for (const circumstance of CIRCUMSTANCES) {
    const summary = circumstance(facts);
    if (summary !== undefined) return summary;
  }
  return allWell(facts);
}

const CIRCUMSTANCES: readonly Circumstance[] = [
  stopping,
  keyRefused,
  serviceDown,
  readersTurnedAway,
  keyFileUnusable,
  starting,
  keyEnds,
  redisLost,
  rateLimited,
  sharedKey,
  lowerLimit,
  budgetTight,
  imagesFailing,
  hostFailing,
];

function stopping(facts: SummaryFacts): StatusSummary | undefined {
  if (!facts.stopping) return undefined;
  return {
    level: 'degraded',
    headline: 'This server is stopping.',
    advice: 'Requests in flight are answered; /readyz sends new readers elsewhere.',
  };
}

function keyRefused({ key: { state, missingScope }, chartsLastMs }: SummaryFacts): StatusSummary | undefined {
  if (state !== 'refused') return undefined;
  const remedy =
    missingScope === undefined
      ? 'Make a new key and set PULSE_API_KEY, or write it to the file of PULSE_API_KEY_FILE.'
      : `Give the key the scope ${missingScope}, or make a new key that has it.`;
  return {
    level: 'down',
    headline:
      missingScope === undefined
        ? 'The service refuses the API key.'
        : `The service refuses the API key: it lacks the scope ${missingScope}.`,
    advice: `${remedy} ${untilThen(chartsLastMs)}`,
  };
}

type Remedy = (facts: SummaryFacts) => string;

/** What readers get, in words, and the line to change. */
const REMEDIES: Readonly<Record<string, readonly [words: string, remedy: Remedy]>> = {
  rate_limited: [
    'too many requests come from one address (429)',
    ({ warnings }) =>
      warnings.some((warning) => warning.includes('TRUST_PROXY'))
        ? 'Set TRUST_PROXY=1 (the number of proxies in front): without it all readers behind a proxy share one rate limit.'
        : 'If these are readers, raise PULSE_CLIENT_RATE; behind a proxy, set TRUST_PROXY to the number of proxies in front.',
  ],
  origin_forbidden: [
    'their page is not allowed (403)',
    ({ refusedOrigin }) =>
      refusedOrigin === undefined
        ? 'Serve the page over https: from an origin in PULSE_ALLOWED_ORIGINS.'
        : `If ${refusedOrigin} is yours, add it to PULSE_ALLOWED_ORIGINS and restart.`,
  ],
  token_missing: ['they bring no token (401)', () => 'Set token or tokenProvider on the card.'],
  token_invalid: ['their token is refused (401)', () => 'Run pulse-bff token explain with one of these tokens.'],
  token_forbidden: [
    'their token names another source or site (403)',
    () => 'Mint tokens that name the sources and the site of the page.',
  ],
  upstream_rate_limited: [
    'all calls of the key are spent (503)',
    ({ budget, sources }) => coldStartAdvice(sources.missing, budget.capacity, budget.windowMs),
  ],
  upstream_auth: ['the service refuses the key (503)', () => 'Make a new key.'],
  upstream_unavailable: ['the service does not answer (503)', () => 'Run pulse-bff check.'],
  upstream_invalid: ['the service answers with something else (502)', () => 'Check PULSE_BASE_URL, without /v1.'],
  internal: ['this server has a fault (500)', () => 'Read the log and report it.'],
};

/** The headline comes from what readers get, whatever the parts of the BFF say of themselves. */
function readersTurnedAway(facts: SummaryFacts): StatusSummary | undefined {
  const problem = readerProblem(facts.outcomes);
  const [words, remedy] = REMEDIES[problem?.code ?? ''] ?? [];
  if (problem === undefined || remedy === undefined) return undefined;
  return {
    level: problem.share > 0.5 ? 'down' : 'degraded',
    headline: `${Math.round(problem.share * 100)} % of the requests of the last 5 minutes got no chart, mostly because ${words}.`,
    advice: remedy(facts),
  };
}

function coldStartAdvice(missing: number, capacity: number, windowMs: number): string {
  const lasting = 'Ask for a higher limit, and set PULSE_RATE_LIMIT.';
  if (missing === 0 || capacity <= 0) return lasting;
  const ms = Math.ceil(missing / capacity) * windowMs;
  return `${charts(missing)} not there yet; with ${plural(capacity, 'call')} a window that takes about ${durationWords(ms)}. ${lasting}`;
}

function keyFileUnusable({ keyFile }: SummaryFacts): StatusSummary | undefined {
  const state = keyFile?.state ?? 'in_use';
  if (state === 'in_use' || state === 'untried') return undefined;
  if (state === 'refused') {
    return {
      level: 'degraded',
      headline: 'The service refuses the new key in the key file. The key before stays in use.',
      advice: 'Do not revoke the key before. Write another key to the file of PULSE_API_KEY_FILE.',
    };
  }
  return {
    level: 'degraded',
    headline: `The key file is ${state === 'invalid' ? 'not valid' : state}. The last key stays in use.`,
    advice:
      'Write one line of 8 to 256 visible ASCII characters to the file of PULSE_API_KEY_FILE: a restart would fail.',
  };
}

/** Days before its end at which the key is in the headline. */
const DAYS_BEFORE_END = 15;

function keyEnds({ keyExpiry }: SummaryFacts): StatusSummary | undefined {
  if (keyExpiry === null || keyExpiry.inDays > DAYS_BEFORE_END) return undefined;
  return {
    level: 'degraded',
    headline: `The API key ends ${expiryWords(keyExpiry)}.`,
    advice: 'Make a new key and write it to the file of PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.',
  };
}

function serviceDown({ hosts, chartsLastMs }: SummaryFacts): StatusSummary | undefined {
  if (hosts.some(({ state }) => state === 'well')) return undefined;
  const nextTryInMs = Math.min(...hosts.map((host) => host.nextTryInMs));
  const nextTry = nextTryInMs < 1_000 ? 'It is tried again now.' : `The next try is in ${durationWords(nextTryInMs)}.`;
  if (hosts.some(({ state }) => state === 'failing')) {
    return {
      level: 'degraded',
      headline: 'The last call to the service failed.',
      advice: `Nothing to do yet. ${nextTry} ${untilThen(chartsLastMs)}`,
    };
  }
  const answeredAgoMs = Math.min(...hosts.map(({ lastAnswerAgoMs }) => lastAnswerAgoMs ?? Infinity));
  const answered = Number.isFinite(answeredAgoMs)
    ? `The service has not answered for ${durationWords(answeredAgoMs)}.`
    : 'The service has not answered since this server started.';
  const remedy = Number.isFinite(answeredAgoMs)
    ? 'Look at the service’s own status page, then at this server’s way out (DNS, proxy, firewall).'
    : 'Check PULSE_BASE_URL, then this server’s way out (DNS, proxy, firewall).';
  return {
    level: 'down',
    headline: `${answered} ${readersKeep(chartsLastMs)}`,
    advice: `${nextTry} ${lasts(chartsLastMs)}${remedy}`,
  };
}

function starting({ ready }: SummaryFacts): StatusSummary | undefined {
  if (ready) return undefined;
  return {
    level: 'degraded',
    headline: 'Waiting for the first answer of the service.',
    advice: 'Nothing to do yet. If this takes longer than a minute, run pulse-bff check.',
  };
}

function redisLost({ redis }: SummaryFacts): StatusSummary | undefined {
  if (redis?.state !== 'lost') return undefined;
  return {
    level: 'degraded',
    headline: `Redis has not answered for ${durationWords(redis.lostForMs)}. Readers still get charts.`,
    advice: `Until it is back, this server makes at most ${plural(redis.share, 'call')} a window, so charts get older. To get Redis back, ${redis.advice ?? 'check the network to it'}.`,
  };
}

function rateLimited({ budget: { pausedForMs } }: SummaryFacts): StatusSummary | undefined {
  if (pausedForMs === 0) return undefined;
  return {
    level: 'degraded',
    headline: `The service allows no more calls for ${durationWords(pausedForMs)}. Readers keep the last charts.`,
    advice:
      'Calls go on by themselves. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give it a key of its own.',
  };
}

function sharedKey({ budget: { capacity, limit, others, reserve } }: SummaryFacts): StatusSummary | undefined {
  if (others <= reserve) return undefined;
  return {
    level: 'degraded',
    headline: `Other programs use the same key: ${plural(capacity, 'call')} of ${limit - reserve} left for charts.`,
    advice: 'Charts are refreshed less often. Give the other program a key of another account, or lower what it asks.',
  };
}

function lowerLimit({ budget: { capacity, limit, others, reserve } }: SummaryFacts): StatusSummary | undefined {
  const usable = limit - reserve;
  if (capacity >= usable - others) return undefined;
  return {
    level: 'degraded',
    headline: `The service allows fewer calls than PULSE_RATE_LIMIT says: ${capacity} of ${usable} left for charts.`,
    advice: 'Charts are refreshed less often. Set PULSE_RATE_LIMIT to the X-RateLimit-Limit of the service.',
  };
}

function budgetTight({ budget, sources }: SummaryFacts): StatusSummary | undefined {
  if (budget.left >= 1 || sources.behind === 0) return undefined;
  return {
    level: 'degraded',
    headline: `All calls are spent, and ${charts(sources.behind)} behind.`,
    advice:
      'The charts with most readers are refreshed first. If they get too old, lower PULSE_RATE_RESERVE, or ask for a higher limit.',
  };
}

function imagesFailing({ images: { loaded, failed } }: SummaryFacts): StatusSummary | undefined {
  if (failed === 0 || failed < loaded) return undefined;
  return {
    level: 'degraded',
    headline: 'Most pictures of charts cannot be loaded. Readers see the text.',
    advice: 'Check PULSE_IMAGE_HOSTS, and whether this server reaches these hosts.',
  };
}

function hostFailing({ hosts }: SummaryFacts): StatusSummary | undefined {
  const failing = hosts.find(({ state }) => state === 'down');
  if (failing === undefined) return undefined;
  const name = hostName(failing);
  const other = name === 'main' ? 'second' : 'main';
  return {
    level: 'degraded',
    headline: `The ${name} host does not answer; the ${other} one does. Readers notice nothing.`,
    advice: `Nothing to do here. The ${name} host is tried again in ${durationWords(failing.nextTryInMs)}.`,
  };
}

function allWell({ sources, hosts, hasReaders }: SummaryFacts): StatusSummary {
  if (!hasReaders) {
    return {
      level: 'ok',
      headline: 'All is well. No reader has asked for a chart yet.',
      advice: 'Get the snippet of a chart in the Studio and put it on a page.',
    };
  }
  const { behind, missing, oldestAgeMs, nextRefreshInMs } = sources;
  const age = oldestAgeMs === undefined ? [] : [`Readers get charts no older than ${durationWords(oldestAgeMs)}.`];
  const next = nextRefreshInMs === undefined ? '' : `, the next one in ${durationWords(nextRefreshInMs)}`;
  const late = behind === 0 ? [] : [`${charts(behind)} a little behind and will be refreshed${next}.`];
  const recovering = hosts.find(({ state }) => state === 'recovering');
  const returning =
    recovering === undefined
      ? []
      : [`The ${hostName(recovering)} host answers again and gets its calls back after a few more good answers.`];
  const lacking = missing === 0 ? [] : [`${charts(missing)} not there yet.`];
  return {
    level: 'ok',
    headline: 'All is well. Nothing to do.',
    advice: [...age, ...late, ...lacking, ...returning].join(' '),
  };
}

function hostName({ name }: SummaryHost): string {
  return name === 'main' ? 'main' : 'second';
}

function readersKeep(chartsLastMs: number | undefined): string {
  return chartsLastMs !== undefined && chartsLastMs > 0 ? 'Readers keep the last charts.' : 'Readers get an error.';
}

function lasts(chartsLastMs: number | undefined): string {
  return chartsLastMs !== undefined && chartsLastMs > 0
    ? `The last charts can be shown for another ${durationWords(chartsLastMs)}. `
    : '';
}

function untilThen(chartsLastMs: number | undefined): string {
  if (chartsLastMs === undefined || chartsLastMs <= 0) return 'Until then readers get an error.';
  return `Readers keep the last charts for another ${durationWords(chartsLastMs)}.`;
}

function charts(count: number): string {
  return count === 1 ? '1 chart is' : `${count} charts are`;
}

function plural(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A unit is used from this many of it on, so that 90 seconds are not "2 minutes" and 30 hours not "1 day". */
const MIN_OF_UNIT = { day: 2, hour: 2, minute: 1, second: 0 } as const;

/** A duration in milliseconds for people, in one unit: `1 second`, `6 minutes`, `23 hours`. */
export function durationWords(ms: number): string {
  for (const [unit, unitMs] of UNITS) {
    const count = Math.round(ms / unitMs);
    if (ms >= MIN_OF_UNIT[unit] * unitMs) return plural(count, unit);
  }
  return '0 seconds';
}
