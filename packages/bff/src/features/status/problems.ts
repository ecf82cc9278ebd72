import { expiryWords } from '../key-expiry/key-expiry.ts';
import { causeOf, UNTRUSTED_PROXY } from './error-causes.ts';
import { diskRow, failureWords } from './failure-words.ts';
import type { Problem } from './problem.ts';
import { failingSources, hasReaders, isAnswering, isDown, type State } from './state.ts';
import { durationWords, plural, quoted } from './words.ts';

/** How long the service may answer 429 until that is more than a full window, in ms. */
const LASTING_MS = 10 * 60_000;

const START_MS = 60_000;

/** Fewer responses without a chart, or a smaller share of them, aren't a problem. */
const BAD = { min: 3, share: 0.05 };

/** An expiration within this many days is a problem. Each of these days is a stage, at which alerts send again. */
const EXPIRY_STAGES = [1, 7, 15];

/** Problems that aren't `degraded`. */
const LEVELS: Readonly<Record<string, (state: State) => Problem['level']>> = {
  upstream_auth: ({ key }) => (key.missingScope === 'sources:read' ? 'degraded' : 'down'),
  upstream_unavailable: () => 'down',
  readers_without_chart: ({ outcomes }) => (badShare(outcomes) > 0.5 ? 'down' : 'degraded'),
  starting: ({ uptimeMs }) => (uptimeMs < START_MS ? 'notice' : 'degraded'),
  rows_unreadable: () => 'notice',
};

type Row = (state: State) => string | false | undefined;

/** The problems, with the most serious ones first. The first sentence is the headline, the rest is the advice. */
const ROWS: Readonly<Record<string, Row>> = {
  stopping: ({ stopping }) =>
    stopping &&
    'This server is stopping. Requests are still answered, and /readyz sends new readers to other instances.',
  upstream_auth: ({ key: { state, missingScope: detail }, chartsLastMs }) => {
    const [what, advice] = failureWords({ code: detail === undefined ? 'key_rejected' : 'scope_missing', detail });
    const outcome = detail === 'sources:read' ? 'Charts are refreshed, but the list isn’t.' : lasts(chartsLastMs);
    return state === 'refused' && `The service rejects calls: ${what}. ${advice} ${outcome}`;
  },
  upstream_unavailable: (state) => isDown(state) && serviceDown(state),
  upstream_rate_limited: ({ budget: { pausedForMs }, failing }) => {
    const forMs = failing?.code === 'rate_limited' ? failing.forMs : 0;
    if (forMs < LASTING_MS)
      return (
        pausedForMs + forMs > 0 &&
        `The service allows no more calls for now. Charts get older. The next call is possible in ${durationWords(pausedForMs)}. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give that program its own key.`
      );
    return `The service has answered 429 to every call for ${durationWords(forMs)}. Charts aren’t refreshed. ${failureWords({ code: 'rate_limited' })[1]}`;
  },
  redis_lost: ({ redis }) => {
    if (redis?.state !== 'lost') return false;
    const [what, advice] = failureWords({ code: redis.fault ?? 'connection', variable: 'REDIS_URL' });
    return `Redis has been unavailable for ${durationWords(redis.lostForMs)}: ${what}. ${advice} Until then, this server works without Redis: charts get older, and charts that aren’t loaded yet may be missing.`;
  },
  readers_without_chart: withoutChart,
  clients_limited: ({ outcomes: { total, limited }, warnings }) =>
    warnings.includes(UNTRUSTED_PROXY) &&
    isMany(limited, total + limited) &&
    `${percent(limited, total + limited)} of the requests in the last 5 minutes were rejected, because all readers behind a proxy share one rate limit. Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1.`,
  upstream_failing: ({ failing, hosts, chartsLastMs }) =>
    failing !== null &&
    failing.code !== 'rate_limited' &&
    !isDown({ hosts, failing }) &&
    !isAnswering(hosts) &&
    `The last call to the service failed: ${failureWords(failing)[0]}. It is retried. ${lasts(chartsLastMs)}`,
  starting: (state) =>
    !state.ready &&
    state.key.state !== 'refused' &&
    !isDown(state) &&
    'There is nothing to serve until the service answers. This takes a few seconds after a start. If it takes longer than a minute, run pulse-bff check.',
  other_users: ({ budget: { capacity, limit, others, reserve } }) =>
    others > reserve &&
    `Other programs use the same key, which leaves ${plural(capacity, 'call')} of ${limit - reserve} for charts. Give the other program a key from a different account, or make that program call less often.`,
  lower_limit: ({ redis, budget: { capacity, limit, others, earlier, reserve, starting } }) =>
    redis?.state !== 'lost' &&
    !starting &&
    others + earlier <= reserve &&
    capacity < limit - reserve - others - earlier &&
    `The service allows fewer calls than PULSE_RATE_LIMIT says, which leaves ${capacity} of ${limit - reserve} for charts. Set PULSE_RATE_LIMIT to the service’s X-RateLimit-Limit.`,
  budget_spent: ({ budget, redis, sources }) => {
    const behind = sources.filter((source) => hasReaders(source) && source.readersSee === 'earlier-version').length;
    const isHeld = budget.starting || budget.pausedForMs > 0 || redis?.state === 'lost' || behind === 0;
    const [, advice] = failureWords({ code: 'out_of_calls' });
    return (
      budget.left < 1 &&
      !isHeld &&
      `No call is left at the moment, and ${plural(behind, 'chart')} can’t be refreshed yet. ${advice}`
    );
  },
  images_failing: ({ images: { loaded, failed } }) =>
    failed > 0 &&
    failed >= loaded &&
    'Most chart images can’t be loaded. Readers see only the text. The log names the host and the reason. Check PULSE_IMAGE_HOSTS, and whether this server can reach these hosts.',
  host_down: ({ hosts }) => {
    const down = hosts.find(({ state }) => state === 'open' || state === 'half-open');
    if (down === undefined || !isAnswering(hosts)) return false;
    const [what, advice] = failureWords({ code: 'connection', ...down.failure, host: down.host });
    return `The ${down.host === 'main' ? 'main' : 'second'} host fails: ${what}. The other host answers, so readers notice nothing. ${advice}`;
  },
  redis_evicts: ({ redis }) =>
    ![undefined, null, 'noeviction'].includes(redis?.evictionPolicy) &&
    `Redis may evict shared data: its maxmemory-policy is ${redis?.evictionPolicy}. Set maxmemory-policy to noeviction, or use another Redis server. If the shared budget is lost, all instances pause for a full window.`,
  key_ends: ({ keyExpiry: expiry }) =>
    stageOf(expiry?.inDays) !== undefined &&
    `The API key expires ${expiry ? expiryWords(expiry) : ''}. Create a new key and write it to the file set in PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.`,
  key_file_refused: ({ keyFile }) =>
    keyFile?.state === 'refused' &&
    'The service rejects the new key in the key file. The previous key stays in use. Don’t revoke it. Write another key to the file set in PULSE_API_KEY_FILE.',
  key_file_unusable: ({ keyFile: { state = 'in_use' } = {} }) =>
    !['in_use', 'untried', 'refused'].includes(state) &&
    `The key file is ${state}. The last key stays in use. Write one line of 8 to 256 visible ASCII characters to the file set in PULSE_API_KEY_FILE. Until then, a restart would fail.`,
  state_dir_unwritable: ({ stateDirFault }) => {
    if (typeof stateDirFault !== 'string') return false;
    const [what, advice] = failureWords({
      code: diskRow(stateDirFault),
      detail: stateDirFault,
      variable: 'PULSE_STATE_DIR',
    });
    return `The state folder isn’t usable (${stateDirFault}): ${what}. ${advice} A restart would begin with older charts, or with none.`;
  },
  withheld_file_unusable: ({ withheld }) =>
    typeof withheld?.fault === 'string' &&
    `The file set in PULSE_WITHHELD_FILE is ${withheld.fault}. Texts that are withheld stay withheld. ${withheld.fault === 'missing' ? 'Restore the file: after a restart without it, readers would see all texts. To show all texts again, create an empty file.' : 'Make it a text file that the user of this server can read. Until then, the server can’t be restarted.'}`,
  log_lost: ({ logLost }) =>
    logLost &&
    'The log can’t be written. Readers are still served. Check what standard output leads to: a full disk, or a program that stopped reading it.',
  rows_unreadable: ({ unreadableRows: rows }) =>
    rows > 0 &&
    `${plural(rows, 'row')} of the list of sources can’t be read. The rest is used. Report this to the operator of the service.`,
};

/** All problems of a state, with the most serious ones first. `stage` changes when the same problem gets worse. */
export function problemsOf(state: State): (Problem & { readonly stage?: string })[] {
  const found = Object.entries(ROWS).flatMap(([code, textOf]) => {
    const text = textOf(state);
    if (!text) return [];
    const at = text.indexOf('. ') + 1;
    const level = LEVELS[code]?.(state) ?? 'degraded';
    const stage = code === 'key_ends' && { stage: String(stageOf(state.keyExpiry?.inDays)) };
    return [{ code, level, headline: text.slice(0, at), advice: text.slice(at + 1), ...stage }];
  });
  return [...found, ...chartProblems(state), ...sourceProblems(state)];
}

/** The hosts whose charts readers don't get, up to five. */
function chartProblems({ refusedCharts }: State): Problem[] {
  return refusedCharts.slice(0, 5).map(({ host, reason, charts }) => {
    const [what, advice] = failureWords({ code: `chart_${reason}` });
    const headline = `${plural(charts, 'chart')} of ${host} can’t be shown: ${what}.`;
    return { code: 'chart_refused', level: 'degraded', headline, advice, host };
  });
}

/** The problems of single sources. */
function sourceProblems(state: State): Problem[] {
  const failing = new Set(failingSources(state));
  return state.sources.flatMap((source) => {
    const { sourceId, name, status, lastFailure } = source;
    const report = (code: string, what: string, level: Problem['level'] = 'notice') => ({
      code,
      level,
      sourceId,
      headline: `The source ${quoted(name ?? sourceId)} ${what}.`,
      advice: 'Look at the source in the dashboard. If it is in order, report this to the operator of the service.',
    });
    return [
      ...(failing.has(source) && lastFailure
        ? [
            report(
              'sources_failing',
              `has failed for ${durationWords(lastFailure.forMs)}: ${failureWords(lastFailure)[0]}`,
              'degraded',
            ),
          ]
        : []),
      ...(status === 'BROKEN' ? [report('source_broken', 'needs reconnection: it gets no new charts')] : []),
      ...(state.overdue.includes(sourceId)
        ? [report('source_overdue', 'is overdue: it usually has a new chart by now')]
        : []),
    ];
  });
}

function serviceDown({ hosts, failing, chartsLastMs }: State): string {
  const host = hosts.find(({ preferred }) => preferred) ?? hosts[0];
  const failure = failing ?? { code: 'connection', ...host?.failure, host: host?.host };
  const [what, advice] = failureWords(failure);
  const outcome = chartsLastMs > 0 ? `Readers keep the last charts. ${lasts(chartsLastMs)}` : 'Readers get an error.';
  return `The service has failed for ${durationWords(failing?.forMs ?? 0)}: ${what}. ${outcome} ${advice}`;
}

/** Too many readers don't get a chart. If another row is the cause, that row has the advice. */
function withoutChart(state: State): string | undefined {
  const { total, bad } = state.outcomes;
  const [[code] = ['']] = Object.entries(bad).toSorted(([, a], [, b]) => b - a);
  const count = Math.round(badShare(state.outcomes) * total);
  if (!isMany(count, total)) return undefined;
  const { words, advice } = causeOf(code);
  const causes = ['upstream_auth', 'upstream_unavailable', 'upstream_rate_limited', 'redis_lost'];
  const cause = causes.find((row) => code.startsWith('upstream_') && ROWS[row]?.(state));
  const text = `${percent(count, total)} of the requests in the last 5 minutes got no chart, mostly because ${words} (${code}).`;
  return `${text} ${cause === undefined ? advice : `The cause is another problem: ${cause}.`}`;
}

/** The share of readers who got no chart, from 0 to 1. */
export function badShare({ total, bad }: State['outcomes']): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

function isMany(count: number, total: number): boolean {
  return count >= BAD.min && count > BAD.share * total;
}

function percent(count: number, total: number): string {
  return `${Math.round((100 * count) / total)}%`;
}

function stageOf(inDays = Infinity): number | undefined {
  return EXPIRY_STAGES.find((days) => inDays <= days);
}

/** How long the last charts can still be shown. */
function lasts(chartsLastMs: number): string {
  if (chartsLastMs <= 0) return 'Until then, readers get an error.';
  return `The last charts can be shown for another ${durationWords(chartsLastMs)}.`;
}
