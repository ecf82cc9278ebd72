import type { Problem } from '../../lib/problem.ts';
import { isOutage } from '../../upstream/failure.ts';
import { failureText, failureWords } from './failure-words.ts';
import { hasReaders, type SourceRow } from './facts.ts';
import type { State } from './state.ts';
import { durationWords, expiryWords, plural, quoted } from './text-format.ts';

const START_MS = 60_000;

/** How long a source must keep failing to count as a problem, in ms. */
const FAILING_FOR_MS = 5 * 60_000;

/** How long all calls must fail before the service counts as down even though a host responds, in ms. */
const DOWN_AFTER_MS = 60_000;

/** A key that expires within this many days is a problem. Each number is a stage at which another alert is sent. */
const EXPIRY_STAGES = [1, 7, 15];

/** Problems that aren't `degraded`. */
const LEVELS: Readonly<Record<string, (state: State) => Problem['level']>> = {
  upstream_auth: ({ key }) => (key.missingScope === 'sources:read' ? 'degraded' : 'down'),
  upstream_unavailable: () => 'down',
  readers_without_chart: ({ outcomes }) => (badShare(outcomes) > 0.5 ? 'down' : 'degraded'),
  untrusted_proxy: ({ outcomes: { total, limited } }) => (isMany(limited, total + limited) ? 'degraded' : 'notice'),
  starting: ({ uptimeMs }) => (uptimeMs < START_MS ? 'notice' : 'degraded'),
  rows_unreadable: () => 'notice',
};

/** The message that is shown while a problem lasts. The first sentence is the headline, and the rest is the advice. */
type Message = (state: State) => string | false;

/** Problems that cause readers to get older charts or no charts. */
const OUTAGES: Readonly<Record<string, Message>> = {
  upstream_auth({ key: { state, missingScope: detail }, chartsLastMs }) {
    const words = failureText({ code: detail === undefined ? 'key_rejected' : 'scope_missing', detail });
    const outcome = detail === 'sources:read' ? 'Charts are being refreshed, but the list isn’t.' : lasts(chartsLastMs);
    return state === 'refused' && `The service is rejecting calls: ${words} ${outcome}`;
  },
  upstream_unavailable(state) {
    const { hosts, failing, chartsLastMs } = state;
    const host = hosts.find(({ preferred }) => preferred) ?? hosts[0];
    const [what, advice] = failureWords(failing ?? { code: 'connection', ...host?.failure, host: host?.host });
    const time = durationWords(failing?.forMs ?? 0);
    return isDown(state) && `The service has been failing for ${time}: ${what}. ${lasts(chartsLastMs)} ${advice}`;
  },
  upstream_rate_limited: ({ failing }) =>
    failing?.code === 'rate_limited' &&
    `The service isn’t accepting more calls right now: ${failureWords({ code: 'rate_limited' }).join('. Charts aren’t being updated. ')}`,
  redis_lost: ({ redis }) =>
    redis?.state === 'lost' &&
    `Redis has been unavailable for ${durationWords(redis.lostForMs)}: ${failureText({ code: redis.fault ?? 'connection', variable: 'REDIS_URL' })} Until then, this server works without Redis: charts may be older, and charts that aren’t loaded yet may be missing.`,
};

/** All problems that affect the whole BFF, most serious first. */
const PROBLEMS: Readonly<Record<string, Message>> = {
  stopping: ({ stopping }) =>
    stopping &&
    'This server is stopping. Requests are still served, and /readyz makes load balancers send new readers to other instances.',
  ...OUTAGES,
  starting: ({ ready }) =>
    !ready &&
    'This server is waiting for its first charts. This takes a few seconds after startup. If it takes longer than a minute, run the check command of pulse-bff.',
  readers_without_chart(state) {
    const { total, bad } = state.outcomes;
    const count = Math.round(badShare(state.outcomes) * total);
    const [[code] = ['']] = Object.entries(bad).toSorted(([, a], [, b]) => b - a);
    const [words, advice] = failureWords({ code });
    // If another problem is the cause, its advice applies.
    const cause = Object.entries(OUTAGES).find(([, message]) => code !== 'internal' && message(state));
    const text = `${Math.round((100 * count) / total)}% of the charts that readers requested in the last 5 minutes were missing, mostly because ${words} (${code}).`;
    return isMany(count, total) && `${text} ${cause ? `This is caused by another problem: ${cause[0]}.` : advice}`;
  },
  untrusted_proxy: ({ isBehindUnknownProxy }) =>
    isBehindUnknownProxy &&
    'Requests come through a proxy that TRUST_PROXY doesn’t include, so all readers behind it share one rate limit. Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1.',
  other_users: ({ budget: { others, reserve, capacity, limit } }) =>
    others > reserve &&
    `Other programs are using the same key, which leaves ${plural(capacity, 'call')} of ${limit - reserve} for charts. Give the other program a separate key, or make it call less often.`,
  lower_limit: ({ serviceLimit, budget: { limit } }) =>
    (serviceLimit ?? limit) < limit &&
    `The service allows ${serviceLimit} calls, fewer than PULSE_RATE_LIMIT (${limit}). Set PULSE_RATE_LIMIT to ${serviceLimit}.`,
  images_failing: ({ images: { loaded, failed } }) =>
    failed >= Math.max(3, loaded) &&
    'Most chart images can’t be loaded. Readers see only the text. The log names the host and the reason. Check PULSE_IMAGE_HOSTS, and whether this server can reach these hosts.',
  host_down({ hosts }) {
    const { host, failure } = hosts.find(isHostDown) ?? {};
    const [what, advice] = failureWords({ code: 'connection', ...failure, host });
    const text = `The ${host === 'main' ? 'main' : 'second'} host is failing: ${what}. The other host is responding`;
    return host !== undefined && isAnswering(hosts) && `${text}, so readers aren’t affected. ${advice}`;
  },
  redis_evicts: ({ redis }) =>
    ![undefined, null, 'noeviction'].includes(redis?.evictionPolicy) &&
    `Redis may evict shared data: its maxmemory-policy is ${redis?.evictionPolicy}. Set maxmemory-policy to noeviction, or use another Redis server. If the shared budget is lost, each instance uses its own budget for a full window.`,
  key_ends: ({ keyExpiry }) =>
    keyExpiry !== null &&
    stageOf(keyExpiry.inDays) !== undefined &&
    `The API key expires ${expiryWords(keyExpiry)}. Create a new key and write it to the file set in PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.`,
  key_file_refused: ({ keyFile }) =>
    keyFile?.state === 'refused' &&
    'The service is rejecting the new key in the key file. The previous key stays in use. Don’t revoke it. Write another key to the file set in PULSE_API_KEY_FILE.',
  key_file_unusable: ({ keyFile: { state } = { state: 'in_use' } }) =>
    !['in_use', 'untried', 'refused'].includes(state) &&
    `The key file is ${state}. The last key stays in use. Write one line of 8 to 256 visible ASCII characters to the file set in PULSE_API_KEY_FILE. Until then, a restart would fail.`,
  state_dir_unwritable: ({ stateDirFault: code }) =>
    typeof code === 'string' &&
    `The state folder isn’t usable (${code}): ${failureText({ code, detail: code, variable: 'PULSE_STATE_DIR' })} After a restart, charts would be older or missing.`,
  withheld_file_unusable: ({ withheld }) =>
    typeof withheld?.fault === 'string' &&
    `The file set in PULSE_WITHHELD_FILE is ${withheld.fault}. Withheld text stays withheld. ${withheld.fault === 'missing' ? 'Restore the file: after a restart without it, readers would see all text. To show all text again, create an empty file.' : 'Make it a text file that this server’s user account can read. Until then, the server can’t be restarted.'}`,
  log_lost: ({ logLost }) =>
    logLost &&
    'The log can’t be written. Readers are still served. Check where standard output goes. The disk may be full, or the program reading it may have stopped.',
  rows_unreadable: ({ unreadableRows: rows }) =>
    rows > 0 &&
    `${plural(rows, 'row')} of the list of sources can’t be read. The rest is used. Report this to the service’s operator.`,
};

/** All problems in a state, most serious first. */
export function problemsOf(state: State): Problem[] {
  const found = Object.entries(PROBLEMS).flatMap(([code, message]): Problem[] => {
    const text = message(state);
    if (text === false) return [];
    const at = text.indexOf('. ') + 1;
    const stage = code === 'key_ends' && { stage: String(stageOf(state.keyExpiry?.inDays)) };
    const level = LEVELS[code]?.(state) ?? 'degraded';
    return [{ code, level, headline: text.slice(0, at), advice: text.slice(at + 1), ...stage }];
  });
  return [...found, ...chartProblems(state), ...sourceProblems(state)];
}

/** Up to five hosts whose charts readers aren't getting. */
function chartProblems({ refusedCharts }: State): Problem[] {
  return refusedCharts.slice(0, 5).map(({ host, reason, charts }) => {
    const [what, advice] = failureWords({ code: `chart_${reason}` });
    const headline = `${plural(charts, 'chart')} from ${host} can’t be shown: ${what}.`;
    return { code: 'chart_refused', level: 'degraded', headline, advice, host };
  });
}

const LOOK_AT_SOURCE = 'Check it in the dashboard. If it is fine there, report this to the service’s operator.';

/** Problems with individual sources. */
function sourceProblems(state: State): Problem[] {
  const failing = new Set(failingSources(state));
  return state.sources.flatMap((source) => {
    const { sourceId, name, status, lastFailure } = source;
    const words = failing.has(source) && lastFailure && failureWords(lastFailure)[0];
    const found = [
      ['sources_failing', words && `has been failing for ${durationWords(lastFailure?.forMs ?? 0)}: ${words}`],
      ['source_broken', status === 'BROKEN' && 'needs reconnection: it isn’t getting new charts'],
      ['source_overdue', state.overdue.includes(sourceId) && 'is overdue: it usually has a new chart by now'],
    ] as const;
    return found.flatMap(([code, text]): Problem[] => {
      const headline = `The source ${quoted(name ?? sourceId)} ${text}.`;
      const level = code === 'sources_failing' ? 'degraded' : 'notice';
      return text ? [{ code, level, sourceId, headline, advice: LOOK_AT_SOURCE }] : [];
    });
  });
}

/** Sources with readers for which every call has failed for a long time while calls for other sources succeed. */
export function failingSources(state: State): SourceRow[] {
  const { sources, hosts, key } = state;
  if (key.state === 'refused' || !isAnswering(hosts) || isDown(state)) return [];
  return sources.filter((source) => hasReaders(source) && (source.lastFailure?.forMs ?? 0) >= FAILING_FOR_MS);
}

/** The fraction of requests in the last few minutes that got no chart, from 0 to 1. */
export function badShare({ total, bad }: State['outcomes']): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** Whether a host responded to its last call. */
const isAnswering = (hosts: State['hosts']): boolean => hosts.some(({ state }) => state === 'closed');

const isHostDown = ({ state }: State['hosts'][number]): boolean => state === 'open' || state === 'half-open';

/** Whether no host returns a usable response. If only some of a host's errors are 429s, the host counts as responding. */
function isDown({ hosts, failing }: State): boolean {
  if (failing?.code === 'not_found_everywhere') return true;
  if (failing && isOutage(failing.code) && failing.forMs >= DOWN_AFTER_MS) return true;
  return hosts.every(isHostDown);
}

/** Whether this number and this fraction of requests count as a problem. */
const isMany = (count: number, total: number): boolean => count >= 3 && count > 0.05 * total;

const stageOf = (inDays = Infinity): number | undefined => EXPIRY_STAGES.find((days) => inDays <= days);

/** How long the last charts can still be shown. */
const lasts = (ms: number): string =>
  ms > 0 ? `Readers keep the last charts for another ${durationWords(ms)}.` : 'Readers get an error.';

/** The state in one sentence. */
export interface StatusSummary extends Pick<Problem, 'headline' | 'advice'> {
  readonly level: 'ok' | 'degraded' | 'down';
}

const GET_A_SNIPPET = 'Get the snippet for a chart in the Studio, and put it on a page.';

/** The most serious problem, or a message that everything works. */
export function summaryOf(problems: readonly Problem[], { sources, lastHour }: State): StatusSummary {
  for (const { level, headline, advice } of problems) if (level !== 'notice') return { level, headline, advice };
  const start = problems.find(({ code }) => code === 'starting');
  if (start !== undefined) return { level: 'ok', headline: start.headline, advice: start.advice };
  const { size: attention } = new Set(problems.flatMap(({ sourceId }) => sourceId ?? []));
  if (attention > 0) {
    const headline = `Readers get their charts. ${plural(attention, 'source')} ${attention === 1 ? 'needs' : 'need'} attention.`;
    return { level: 'ok', headline, advice: 'See the sources below.' };
  }
  const read = sources.filter(hasReaders);
  if (read.length === 0 && Object.values(lastHour).every((count) => count === 0))
    return { level: 'ok', headline: 'All is well. No reader has requested a chart yet.', advice: GET_A_SNIPPET };
  const missing = read.filter(({ readersSee }) => readersSee === 'error' || readersSee === 'unknown').length;
  const oldestMs = Math.max(0, ...read.map(({ ageMs }) => ageMs ?? 0));
  const age = read.length > missing ? `Readers get charts no older than ${durationWords(oldestMs)}.` : '';
  const lacking = missing > 0 ? ` ${plural(missing, 'chart')} not loaded yet.` : '';
  return { level: 'ok', headline: 'All is well. Nothing to do.', advice: `${age}${lacking}`.trim() };
}
