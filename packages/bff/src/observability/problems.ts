import { errorCodeSchema } from '@pulse-card/contract';
import { expiryWords, type KeyExpiry } from '../alerts/key-expiry.ts';
import type { CacheStatus, SourceStatusFacts } from '../cache/cache-status.ts';
import type { ClusterStatus } from '../cache/peers.ts';
import type { ReadinessFailure } from '../http/routes/probes-route.ts';
import type { KeyFileStatus } from '../upstream/key-file.ts';
import type { ImageCounts, ReaderOutcomes } from './counters.ts';

/** A problem in words: for the log, alerts, `/readyz`, `/status` and `pulse-bff check`. */
export interface Problem {
  /** The public error code that readers get for it, where there is one. */
  readonly code: string;
  /** `down`: charts are not refreshed, or most readers get none; `degraded`: something works less well; `notice`: no headline. */
  readonly level: 'down' | 'degraded' | 'notice';
  /** What is wrong. */
  readonly headline: string;
  /** What to do, and what happens without action. */
  readonly advice: string;
  /** The source, if the problem is one of a single source. */
  readonly sourceId?: string;
}

/** The facts that problems follow from. Durations in ms. */
export interface ProblemFacts extends Pick<
  CacheStatus,
  'ready' | 'key' | 'hosts' | 'budget' | 'unreadableRows' | 'stateDirFault'
> {
  readonly stopping: boolean;
  /** How long ago the service answered last; null where it never did. */
  readonly answeredAgoMs: number | null;
  /** How long cached charts can still be shown without a new answer; 0 where there is none. */
  readonly chartsLastMs: number;
  readonly sources: readonly Pick<SourceStatusFacts, 'sourceId' | 'name' | 'status'>[];
  /** Sources with readers whose calls have failed for long while others succeed. */
  readonly failing: readonly Pick<SourceStatusFacts, 'sourceId' | 'name' | 'lastFailure'>[];
  /** Sources with readers: older than they should be, and with nothing to show. */
  readonly behind: number;
  readonly missing: number;
  /** The age of the oldest chart with readers; undefined where there is none. */
  readonly oldestAgeMs: number | undefined;
  /** A reader was answered. */
  readonly hasReaders: boolean;
  /** Null where there is no Redis. */
  readonly redis: ClusterStatus | null;
  /** Null where the key is in no file. */
  readonly keyFile: KeyFileStatus | null;
  /** Null where nobody knows. */
  readonly keyExpiry: KeyExpiry | null;
  readonly images: ImageCounts;
  readonly outcomes: ReaderOutcomes;
  /** The origin whose pages are refused most often. */
  readonly refusedOrigin?: string | undefined;
  /** Requests come through a proxy that `TRUST_PROXY` does not name. */
  readonly isBehindUnknownProxy: boolean;
}

type Words = readonly [headline: string, advice: string];

type Row = readonly [
  code: string,
  level: Problem['level'] | ((facts: ProblemFacts) => Problem['level']),
  words: (facts: ProblemFacts) => Words | false | null | undefined,
];

/** Every problem but those of single sources, the most serious first. */
const TABLE: readonly Row[] = [
  [
    'stopping',
    'degraded',
    ({ stopping }) =>
      stopping && ['This server is stopping.', 'Requests in flight are answered; /readyz sends new readers elsewhere.'],
  ],
  ['upstream_auth', 'down', keyRefused],
  ['upstream_unavailable', 'down', serviceDown],
  ['budget_unknown', 'degraded', budgetUnknown],
  ['readers_without_chart', ({ outcomes }) => (badShare(outcomes) > 0.5 ? 'down' : 'degraded'), withoutChart],
  [
    'upstream_failing',
    'degraded',
    ({ hosts, chartsLastMs }) =>
      !isAnswering(hosts) &&
      !isDown(hosts) && ['The last call to the service failed.', `It is tried again by itself. ${lasts(chartsLastMs)}`],
  ],
  [
    'key_file_refused',
    'degraded',
    ({ keyFile }) =>
      keyFile?.state === 'refused' && [
        'The service refuses the new key in the key file. The key before stays in use.',
        'Do not revoke the key before. Write another key to the file of PULSE_API_KEY_FILE.',
      ],
  ],
  [
    'key_file_unusable',
    'degraded',
    ({ keyFile }) =>
      keyFile !== null &&
      !['in_use', 'untried', 'refused'].includes(keyFile.state) && [
        `The key file is ${keyFile.state === 'invalid' ? 'not valid' : keyFile.state}. The last key stays in use.`,
        'Write one line of 8 to 256 visible ASCII characters to the file of PULSE_API_KEY_FILE: a restart would fail.',
      ],
  ],
  [
    'starting',
    'degraded',
    (facts) =>
      !facts.ready &&
      !budgetUnknown(facts) && [
        'There is nothing to serve until the service answers.',
        'Nothing to do yet. If this takes longer than a minute, run pulse-bff check.',
      ],
  ],
  [
    'key_ends',
    'degraded',
    ({ keyExpiry }) =>
      keyExpiry !== null &&
      keyExpiry.inDays <= DAYS_BEFORE_END && [
        `The API key ends ${expiryWords(keyExpiry)}.`,
        'Make a new key and write it to the file of PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.',
      ],
  ],
  [
    'redis_lost',
    'degraded',
    ({ redis, ready }) =>
      redis?.state === 'lost' && [
        `Redis has been lost for ${durationWords(redis.lostForMs)} (REDIS_URL: ${redis.fault}).${ready ? ' Readers still get charts.' : ''}`,
        `Until it is back, this server makes at most ${plural(redis.share, 'call')} a window, so charts get older. To get Redis back, ${redis.advice ?? 'check the network to it'}.`,
      ],
  ],
  [
    'upstream_rate_limited',
    'degraded',
    ({ budget: { pausedForMs } }) =>
      pausedForMs > 0 && [
        `The service allows no more calls for ${durationWords(pausedForMs)}. Readers keep the last charts.`,
        'Calls go on by themselves. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give it a key of its own.',
      ],
  ],
  [
    'other_users',
    'degraded',
    ({ budget: { capacity, limit, others, reserve } }) =>
      others > reserve && [
        `Other programs use the same key: ${plural(capacity, 'call')} of ${limit - reserve} left for charts.`,
        'Charts are refreshed less often. Give the other program a key of another account, or lower what it asks.',
      ],
  ],
  [
    'lower_limit',
    'degraded',
    ({ redis, budget: { capacity, limit, others, reserve, starting } }) =>
      redis?.state !== 'lost' &&
      !starting &&
      others <= reserve &&
      capacity < limit - reserve - others && [
        `The service allows fewer calls than PULSE_RATE_LIMIT says: ${capacity} of ${limit - reserve} left for charts.`,
        'Charts are refreshed less often. Set PULSE_RATE_LIMIT to the X-RateLimit-Limit of the service.',
      ],
  ],
  [
    'budget_spent',
    'degraded',
    ({ budget, behind }) =>
      budget.left < 1 &&
      behind > 0 && [
        `All calls are spent, and ${charts(behind)} behind.`,
        'The charts with most readers are refreshed first. If they get too old, lower PULSE_RATE_RESERVE, or ask for a higher limit.',
      ],
  ],
  [
    'images_failing',
    'degraded',
    ({ images: { loaded, failed } }) =>
      failed > 0 &&
      failed >= loaded && [
        'Most pictures of charts cannot be loaded. Readers see the text.',
        'Check PULSE_IMAGE_HOSTS, and whether this server reaches these hosts.',
      ],
  ],
  ['host_down', 'degraded', oneHostDown],
  ['sources_failing', 'degraded', sourcesFailing],
  [
    'state_dir_unwritable',
    'degraded',
    ({ stateDirFault }) =>
      stateDirFault !== null && [
        `The state folder takes no files (${stateDirFault}). A restart would begin with older charts, or with none.`,
        'Free disk space, or make PULSE_STATE_DIR writable.',
      ],
  ],
  [
    'redis_evicts',
    'degraded',
    ({ redis }) =>
      redis !== null &&
      isEvicting(redis) && [
        `Redis may drop what is shared: its maxmemory-policy is ${redis.evictionPolicy}.`,
        'Set maxmemory-policy to noeviction, or use another Redis: without the shared budget all instances wait for one window.',
      ],
  ],
  [
    'rows_unreadable',
    'notice',
    ({ unreadableRows: rows }) =>
      rows > 0 && [
        `${plural(rows, 'row')} of the source list cannot be read and ${rows === 1 ? 'is' : 'are'} left out.`,
        'Report it to the operator of the service.',
      ],
  ],
];

/** What is wrong, the most serious first. */
export function problems(facts: ProblemFacts): Problem[] {
  const found = TABLE.flatMap(([code, level, wordsOf]): Problem[] => {
    const words = wordsOf(facts);
    if (!words) return [];
    const [headline, advice] = words;
    return [{ code, level: typeof level === 'string' ? level : level(facts), headline, advice }];
  });
  return [...found, ...brokenSources(facts)];
}

/** Why an instance with these problems should get no traffic: it stops, or has nothing to serve. */
export function readinessFailureOf([first]: readonly Problem[]): ReadinessFailure {
  const code = errorCodeSchema.safeParse(first?.code).data ?? 'upstream_unavailable';
  return { code, reason: first?.headline ?? 'There is nothing to serve.' };
}

/** The state in plain words. */
export interface StatusSummary {
  readonly level: 'ok' | 'degraded' | 'down';
  readonly headline: string;
  readonly advice: string;
}

/** The most serious problem, or that all is well. */
export function summaryOf(found: readonly Problem[], facts: ProblemFacts): StatusSummary {
  for (const { level, headline, advice } of found) if (level !== 'notice') return { level, headline, advice };
  const { behind, missing, oldestAgeMs, hasReaders } = facts;
  const age = oldestAgeMs === undefined ? [] : [`Readers get charts no older than ${durationWords(oldestAgeMs)}.`];
  const late = behind === 0 ? [] : [`${charts(behind)} a little behind and will be refreshed.`];
  const lacking = missing === 0 ? [] : [`${charts(missing)} not there yet.`];
  return hasReaders
    ? { level: 'ok', headline: 'All is well. Nothing to do.', advice: [...age, ...late, ...lacking].join(' ') }
    : {
        level: 'ok',
        headline: 'All is well. No reader has asked for a chart yet.',
        advice: 'Get the snippet of a chart in the Studio and put it on a page.',
      };
}

/** Problems that pass by themselves. The status shows them; the log does not. */
export const PASSING: ReadonlySet<string> = new Set([
  'stopping',
  'starting',
  'budget_unknown',
  'upstream_failing',
  'budget_spent',
]);

function keyRefused({ key: { state, missingScope }, chartsLastMs }: ProblemFacts): Words | undefined {
  if (state !== 'refused') return undefined;
  const [headline, advice] = keyRefusal(missingScope);
  return [headline, `${advice} ${lasts(chartsLastMs)}`];
}

/** The words for a key that the service refuses (401), or that lacks a scope (403). */
export function keyRefusal(missingScope: string | undefined): Words {
  if (missingScope === undefined) {
    return [
      'The service refuses the API key.',
      'Make a new key and set PULSE_API_KEY, or write it to the file of PULSE_API_KEY_FILE.',
    ];
  }
  return [
    `The service refuses the API key: it lacks the scope ${missingScope}.`,
    `Give the key the scope ${missingScope}, or make a new key that has it.`,
  ];
}

type Hosts = ProblemFacts['hosts'];

function isAnswering(hosts: Hosts): boolean {
  return hosts.some(({ state }) => state === 'closed');
}

/** Returns whether no host gets calls but for a trial. */
function isDown(hosts: Hosts): boolean {
  return hosts.every(({ state }) => state === 'open' || state === 'half-open');
}

function serviceDown({ hosts, answeredAgoMs, chartsLastMs }: ProblemFacts): Words | undefined {
  if (!isDown(hosts)) return undefined;
  const [since, first] =
    answeredAgoMs === null
      ? ['since this server started', 'Look at PULSE_BASE_URL']
      : [`for ${durationWords(answeredAgoMs)}`, 'Look at the service’s own status page'];
  return [
    `The service has not answered ${since}. Readers ${chartsLastMs > 0 ? 'keep the last charts' : 'get an error'}.`,
    `${lasts(chartsLastMs)} ${first}, then at this server’s way out (DNS, proxy, firewall).`,
  ];
}

function oneHostDown({ hosts }: ProblemFacts): Words | undefined {
  const down = hosts.find(({ state }) => state === 'open' || state === 'half-open');
  if (down === undefined || !isAnswering(hosts)) return undefined;
  const [name, other] = down.host === 'main' ? ['main', 'second'] : ['second', 'main'];
  return [
    `The ${name} host does not answer; the ${other} one does. Readers notice nothing.`,
    `Nothing to do here: the ${name} host is tried again by itself.`,
  ];
}

function sourcesFailing({ failing }: ProblemFacts): Words | undefined {
  if (failing.length === 0) return undefined;
  const names = failing.slice(0, MAX_NAMES).map(({ name, sourceId }) => `"${cut(name ?? sourceId)}"`);
  const rest = failing.length - names.length;
  const forMs = Math.max(...failing.map(({ lastFailure }) => lastFailure?.forMs ?? 0));
  return [
    `${plural(failing.length, 'source')} ${failing.length === 1 ? 'has' : 'have'} failed for ${durationWords(forMs)}: ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}.`,
    'Readers of these charts see an earlier version or an error. Look at the sources in the dashboard, then report it to the operator of the service.',
  ];
}

/** Names in a headline. */
const MAX_NAMES = 3;

/** Returns whether Redis may drop values before they expire. */
export function isEvicting({ evictionPolicy }: ClusterStatus): boolean {
  return evictionPolicy !== null && evictionPolicy !== 'noeviction';
}

/** Days before its end at which the end of the key is a problem. */
const DAYS_BEFORE_END = 15;

/** Fewer answers without a chart than this are no pattern. */
const MIN_BAD = 3;

/** A share of answers without a chart above this is a problem. */
const MAX_BAD_SHARE = 0.05;

/** The share of readers who got no chart, from 0 to 1. */
export function badShare({ total, bad }: ReaderOutcomes): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** A Redis without the calls of the last window, as a new one, opens the shared budget after one window. */
function budgetUnknown({ redis, budget, ready, missing }: ProblemFacts): Words | undefined {
  if (redis?.state !== 'joined' || !budget.starting || (ready && missing === 0)) return undefined;
  const { windowMs } = budget;
  return [
    'Redis does not know the calls of the last window yet. Readers without a chart wait.',
    `Nothing to do: this takes ${durationWords(windowMs)} with an empty Redis, and ${durationWords(2 * windowMs)} after the last server of another release has stopped. Until then each server makes at most ${plural(redis.share, 'call')} a window.`,
  ];
}

/** Readers are counted, whatever the parts of the BFF say of themselves. */
function withoutChart(facts: ProblemFacts): Words | undefined {
  const { outcomes, refusedOrigin, missing, budget } = facts;
  const share = badShare(outcomes);
  const [code] = Object.entries(outcomes.bad).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (code === undefined || share * outcomes.total < MIN_BAD || share <= MAX_BAD_SHARE) return undefined;
  if (code.startsWith('upstream_') && budgetUnknown(facts)) return undefined;
  const { words, advice } = reasonOf(code, { ...facts, origin: refusedOrigin });
  return [
    `${Math.round(share * 100)} % of the requests of the last 5 minutes got no chart, mostly because ${words} (${code}).`,
    code === 'upstream_rate_limited' ? `${coldStartWords(missing, budget)} ${advice}` : advice,
  ];
}

function coldStartWords(missing: number, { capacity, windowMs }: ProblemFacts['budget']): string {
  if (missing === 0) return 'All charts with readers are there now. If this happens often:';
  const ms = Math.ceil(missing / Math.max(1, capacity)) * windowMs;
  return `${charts(missing)} not there yet; with ${plural(capacity, 'call')} a window that takes about ${durationWords(ms)}.`;
}

interface ReasonFacts {
  readonly origin?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly isBehindUnknownProxy?: boolean;
}

/** Why an answer with a code has no chart, and what to do. */
const REASONS: Readonly<Record<string, readonly [words: string, advice: string | ((facts: ReasonFacts) => string)]>> = {
  origin_forbidden: [
    'the site is not allowed',
    ({ origin }) =>
      origin?.includes('://') === true
        ? `If ${origin} is yours, add it to PULSE_ALLOWED_ORIGINS and restart.`
        : 'Serve the page over https: from an origin in PULSE_ALLOWED_ORIGINS.',
  ],
  source_unknown: [
    'there is no such source',
    ({ sourceId }) => (sourceId === undefined ? 'Correct the source-id.' : `A page still shows ${sourceId}.`),
  ],
  token_missing: ['the request has no token', 'Set token or tokenProvider on the card.'],
  token_invalid: ['the token is refused', 'Run pulse-bff token explain, or paste the token into the Check page.'],
  token_forbidden: ['the token is for another source or site', 'Mint tokens that name the source and the site.'],
  bad_request: ['servers read its address differently', 'Nothing, unless a proxy of yours changes addresses.'],
  rate_limited: [
    'too many requests come from one address',
    ({ isBehindUnknownProxy }) =>
      isBehindUnknownProxy === true
        ? 'Set TRUST_PROXY=1 (the number of proxies in front): without it all readers behind a proxy share one rate limit.'
        : 'If these are readers, raise PULSE_CLIENT_RATE; behind a proxy, set TRUST_PROXY to the number of proxies in front.',
  ],
  upstream_rate_limited: ['all calls of the key are spent', 'Ask for a higher limit, and set PULSE_RATE_LIMIT.'],
  upstream_auth: ['the service refuses the key', 'Make a new key.'],
  upstream_unavailable: ['the service does not answer', 'Run pulse-bff check.'],
  upstream_invalid: ['the service answers with something else', 'Check PULSE_BASE_URL, without /v1.'],
  internal: ['this server has a fault', 'Read the log and report it.'],
};

/** Why an answer with this code has no chart, and what to do. */
export function reasonOf(code: string, facts: ReasonFacts): { readonly words: string; readonly advice: string } {
  const [words, advice] = REASONS[code] ?? [code, ''];
  return { words, advice: typeof advice === 'string' ? advice : advice(facts) };
}

function brokenSources({ sources }: ProblemFacts): Problem[] {
  return sources
    .filter(({ status }) => status === 'BROKEN')
    .map(({ sourceId, name }) => ({
      code: 'source_broken',
      level: 'notice',
      headline: `The source "${cut(name ?? sourceId)}" is BROKEN: it gets no new charts.`,
      advice: 'Look at it in the dashboard.',
      sourceId,
    }));
}

/** Longest name in a headline, in characters. */
const MAX_NAME = 80;

function cut(name: string): string {
  const letters = Array.from(name);
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : name;
}

function lasts(chartsLastMs: number): string {
  if (chartsLastMs <= 0) return 'Until then readers get an error.';
  return `The last charts can be shown for another ${durationWords(chartsLastMs)}.`;
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
function durationWords(ms: number): string {
  for (const [unit, unitMs] of UNITS) {
    const count = Math.round(ms / unitMs);
    if (ms >= MIN_OF_UNIT[unit] * unitMs) return plural(count, unit);
  }
  return '0 seconds';
}
