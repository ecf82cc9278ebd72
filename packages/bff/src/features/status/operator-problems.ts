import type { Problem } from '../../observability/problem.ts';
import { causeOf } from './error-causes.ts';
import { UNTRUSTED_PROXY } from './proxy-watch.ts';
import { isDown, lastCallFailed, lasts, oneHostDown, serviceDown } from './host-problems.ts';
import { durationWords, plural, type ProblemWords } from './problem-words.ts';
import { badShare, type BffState, failingSources, hasReaders, isEvicting, type SourceRow } from './bff-state.ts';

/** All problems that aren't about a single source, with the most serious ones first. */
const TABLE: Readonly<Record<string, (state: BffState) => ProblemWords | false | null | undefined>> = {
  stopping: ({ stopping }) =>
    stopping && [
      'This server is stopping.',
      'Requests in flight are still answered, and /readyz sends new readers to other instances.',
    ],
  upstream_auth: keyRefused,
  upstream_unavailable: serviceDown,
  budget_unknown: budgetUnknown,
  readers_without_chart: withoutChart,
  clients_limited: clientsLimited,
  upstream_failing: lastCallFailed,
  starting,
  redis_lost: ({ redis, ready }) =>
    redis?.state === 'lost' && [
      `Redis has been unavailable for ${durationWords(redis.lostForMs)} (REDIS_URL: ${redis.fault}).${ready ? ' Readers still get charts.' : ''}`,
      `Until Redis is back, this server makes at most ${plural(redis.share, 'call')} per window, so charts get older. To get Redis back, ${redis.advice ?? 'check the network connection to it'}.`,
    ],
  upstream_rate_limited: ({ budget: { pausedForMs } }) =>
    pausedForMs > 0 && [
      'The service allows no more calls for now. Readers keep the last charts.',
      `Calls resume automatically in ${durationWords(pausedForMs)}. If this happens often, another program is using the same key: raise PULSE_RATE_RESERVE, or give that program its own key.`,
    ],
  other_users: ({ budget: { capacity, limit, others, reserve } }) =>
    others > reserve && [
      `Other programs use the same key, which leaves ${plural(capacity, 'call')} of ${limit - reserve} for charts.`,
      'Charts are refreshed less often. Give the other program a key from a different account, or make that program call less often.',
    ],
  lower_limit: ({ redis, budget: { capacity, limit, others, earlier, reserve, starting } }) =>
    redis?.state !== 'lost' &&
    !starting &&
    others + earlier <= reserve &&
    capacity < limit - reserve - others - earlier && [
      `The service allows fewer calls than PULSE_RATE_LIMIT says, which leaves ${capacity} of ${limit - reserve} for charts.`,
      'Charts are refreshed less often. Set PULSE_RATE_LIMIT to the service’s X-RateLimit-Limit.',
    ],
  budget_spent: budgetSpent,
  images_failing: ({ images: { loaded, failed } }) =>
    failed > 0 &&
    failed >= loaded && [
      'Most chart images cannot be loaded. Readers see only the text.',
      'Check PULSE_IMAGE_HOSTS, and whether this server can reach these hosts.',
    ],
  host_down: oneHostDown,
  sources_failing: sourcesFailing,
  redis_evicts: ({ redis }) =>
    redis !== null &&
    isEvicting(redis) && [
      `Redis may evict shared data: its maxmemory-policy is ${redis.evictionPolicy}.`,
      'Set maxmemory-policy to noeviction, or use another Redis server. If the shared budget is lost, all instances pause for a full window.',
    ],
  rows_unreadable: ({ unreadableRows: rows }) =>
    rows > 0 && [
      `${plural(rows, 'row')} of the source list cannot be read and ${rows === 1 ? 'is' : 'are'} left out.`,
      'Report this to the operator of the service.',
      'notice',
    ],
};

/** All problems of a state, with the most serious ones first. */
export function problemsOf(state: BffState): Problem[] {
  const found = Object.entries(TABLE).flatMap(([code, wordsOf]): Problem[] => {
    const words = wordsOf(state);
    if (!words) return [];
    const [headline, advice, level = 'degraded'] = words;
    return [{ code, level, headline, advice }];
  });
  return [...found, ...brokenSources(state)];
}

/** Describes the state in plain words. */
export interface StatusSummary {
  readonly level: 'ok' | 'degraded' | 'down';
  readonly headline: string;
  readonly advice: string;
}

/** Returns the most serious problem, or says that everything works. */
export function summaryOf(found: readonly Problem[], state: BffState): StatusSummary {
  for (const { level, headline, advice } of found) if (level !== 'notice') return { level, headline, advice };
  const start = found.find(({ code }) => STARTING.has(code));
  if (start !== undefined) return { level: 'ok', headline: start.headline, advice: start.advice };
  const broken = found.filter(({ sourceId }) => sourceId !== undefined).length;
  if (broken > 0) {
    const headline = `Readers get their charts. ${plural(broken, 'source')} ${broken === 1 ? 'needs' : 'need'} attention.`;
    return { level: 'ok', headline, advice: 'Look at the sources below.' };
  }
  if (READER_RESULTS.every((result) => !state.answers[result])) {
    return {
      level: 'ok',
      headline: 'All is well. No reader has asked for a chart yet.',
      advice: 'Get the snippet for a chart in the Studio, and put it on a page.',
    };
  }
  const { behind, missing, present } = readCharts(state);
  const oldestMs = Math.max(...present.map(({ ageMs }) => ageMs ?? 0));
  const age = present.length === 0 ? [] : [`Readers get charts no older than ${durationWords(oldestMs)}.`];
  const late = behind.length === 0 ? [] : [`${charts(behind.length)} a little behind and will be refreshed.`];
  const lacking = missing.length === 0 ? [] : [`${charts(missing.length)} not loaded yet.`];
  return { level: 'ok', headline: 'All is well. Nothing to do.', advice: [...age, ...late, ...lacking].join(' ') };
}

/** A first start is neither a warning nor a reason to say "All is well". */
const STARTING: ReadonlySet<string> = new Set(['starting', 'budget_unknown']);

/** The cache results of answers that reach a reader. */
const READER_RESULTS = ['hit', 'stale', 'miss', 'collapsed'];

/**
 * Sources with readers, in three groups: all that show something, the stale ones among them, and those that show
 * nothing.
 */
function readCharts({ sources }: BffState) {
  const read = sources.filter(hasReaders);
  const isMissing = ({ readersSee }: SourceRow) => readersSee === 'error' || readersSee === 'unknown';
  return {
    behind: read.filter(({ readersSee }) => readersSee === 'earlier-version'),
    missing: read.filter(isMissing),
    present: read.filter((source) => !isMissing(source)),
  };
}

function keyRefused({ key: { state, missingScope }, chartsLastMs }: BffState): ProblemWords | undefined {
  if (state !== 'refused') return undefined;
  const [headline, advice] = keyRefusal(missingScope);
  return [headline, `${advice} ${lasts(chartsLastMs)}`, 'down'];
}

/** The problem if the service refuses the key (401), or if the key lacks a scope (403). */
export function keyRefusal(missingScope: string | undefined): ProblemWords {
  if (missingScope === undefined) {
    return [
      'The service refuses the API key.',
      'Create a new key and set PULSE_API_KEY, or write it to the file set in PULSE_API_KEY_FILE.',
    ];
  }
  return [
    `The service refuses the API key: it lacks the scope ${missingScope}.`,
    `Give the key the scope ${missingScope}, or create a new key that has it.`,
  ];
}

/**
 * Reports nothing while Redis is lost, the service allows no calls, or the budget isn't known yet. The problem isn't
 * reported in these cases, because neither a smaller reserve nor a higher limit would help.
 */
function budgetSpent(state: BffState): ProblemWords | undefined {
  const { budget, redis } = state;
  const behind = readCharts(state).behind.length;
  const isHeld = budget.starting || budget.pausedForMs > 0 || redis?.state === 'lost';
  if (budget.left >= 1 || isHeld || behind === 0) return undefined;
  return [
    `No call is left at the moment, and ${charts(behind)} behind.`,
    'The charts with the most readers are refreshed first. If they get too old, lower PULSE_RATE_RESERVE, or ask for a higher limit.',
  ];
}

function sourcesFailing(state: BffState): ProblemWords | undefined {
  const failing = failingSources(state);
  if (failing.length === 0) return undefined;
  const names = failing.slice(0, MAX_NAMES).map(({ name, sourceId }) => `"${cut(name ?? sourceId)}"`);
  const rest = failing.length - names.length;
  const forMs = Math.max(...failing.map(({ lastFailure }) => lastFailure?.forMs ?? 0));
  return [
    `${plural(failing.length, 'source')} ${failing.length === 1 ? 'has' : 'have'} failed for ${durationWords(forMs)}: ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}.`,
    'Readers of these charts see an earlier version or an error. Look at the sources in the dashboard, then report it to the operator of the service.',
  ];
}

/** The maximum number of names in a headline. */
const MAX_NAMES = 3;

/** A smaller number of responses without a chart isn't a problem. */
const MIN_BAD = 3;

/** If the fraction of answers without a chart is higher than this, it is a problem. */
const MAX_BAD_SHARE = 0.05;

/** Returns whether requests arrive through a proxy that `TRUST_PROXY` doesn't name. */
export function isBehindUnknownProxy({ warnings }: BffState): boolean {
  return warnings.includes(UNTRUSTED_PROXY);
}

/** If all readers behind a proxy share one rate limit, few of them get an answer. */
function clientsLimited(state: BffState): ProblemWords | undefined {
  const { total, limited } = state.outcomes;
  if (!isBehindUnknownProxy(state) || limited < MIN_BAD || limited <= MAX_BAD_SHARE * (total + limited))
    return undefined;
  const { words, advice } = causeOf('rate_limited', { isBehindUnknownProxy: true });
  const percent = Math.round((100 * limited) / (total + limited));
  return [`${percent}% of the requests in the last 5 minutes were refused, because ${words} (rate_limited).`, advice];
}

/**
 * A process that has just started waits for its first answers. Waiting for the first answers isn't a reason to warn.
 */
const START_TAKES_MS = 60_000;

function starting(state: BffState): ProblemWords | undefined {
  const { ready, key, hosts, uptimeMs } = state;
  if (ready || key.state === 'refused' || isDown(hosts) || budgetUnknown(state)) return undefined;
  return [
    'There is nothing to serve until the service answers.',
    'This takes a few seconds after a start. If it takes longer than a minute, run pulse-bff check.',
    uptimeMs < START_TAKES_MS ? 'notice' : 'degraded',
  ];
}

/**
 * A new Redis server has no record of the calls in the key's last window. The shared budget therefore opens after one
 * window.
 */
function budgetUnknown(state: BffState): ProblemWords | undefined {
  const { redis, budget, ready, sources, uptimeMs } = state;
  if (redis?.state !== 'joined' || !budget.starting) return undefined;
  const { missing } = readCharts(state);
  const areOld = sources.some((source) => hasReaders(source) && source.freshness === 'stale');
  if (ready && missing.length === 0 && !areOld) return undefined;
  const { windowMs } = budget;
  const outcome = areOld && missing.length === 0 ? 'Charts get older until then.' : 'Readers without a chart wait.';
  return [
    `Redis has no record of the calls in the last window, because it is new or was emptied, or the key is new. ${outcome}`,
    `This takes ${durationWords(windowMs)}. Until then, each server makes at most ${plural(redis.share, 'call')} per window.`,
    uptimeMs < START_TAKES_MS + windowMs ? 'notice' : 'degraded',
  ];
}

/** The problem that too many readers don't get a chart, regardless of what the parts of the BFF report. */
function withoutChart(state: BffState): ProblemWords | undefined {
  const { outcomes } = state;
  const share = badShare(outcomes);
  const [code] = Object.entries(outcomes.bad).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (code === undefined || share * outcomes.total < MIN_BAD || share <= MAX_BAD_SHARE) return undefined;
  if (code.startsWith('upstream_') && budgetUnknown(state)) return undefined;
  const { words, advice } = causeOf(code, {});
  return [
    `${Math.round(share * 100)}% of the requests in the last 5 minutes got no chart, mostly because ${words} (${code}).`,
    code === 'upstream_rate_limited' ? `${coldStartWords(state)} ${advice}` : advice,
    share > 0.5 ? 'down' : 'degraded',
  ];
}

function coldStartWords(state: BffState): string {
  const { capacity, windowMs } = state.budget;
  const missing = readCharts(state).missing.length;
  if (missing === 0) return 'All charts that have readers are now loaded.';
  const ms = Math.ceil(missing / Math.max(1, capacity)) * windowMs;
  return `${charts(missing)} not loaded yet; with ${plural(capacity, 'call')} per window, loading them takes about ${durationWords(ms)}.`;
}

function brokenSources({ sources }: BffState): Problem[] {
  return sources
    .filter(({ status }) => status === 'BROKEN')
    .map(({ sourceId, name }) => ({
      code: 'source_broken',
      level: 'notice',
      headline: `The source "${cut(name ?? sourceId)}" needs reconnection: it gets no new charts.`,
      advice: 'Look at the source in the dashboard.',
      sourceId,
    }));
}

/** The maximum length of a name in a headline, in characters. */
const MAX_NAME = 80;

function cut(name: string): string {
  const letters = Array.from(name);
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : name;
}

function charts(count: number): string {
  return count === 1 ? '1 chart is' : `${count} charts are`;
}
