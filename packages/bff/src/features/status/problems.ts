import type { Problem } from '../../lib/problem.ts';
import { causeOf, failureWords, UNTRUSTED_PROXY } from './failure-words.ts';
import { failingSources, hasReaders, isAnswering, isDown, type State } from './state.ts';
import { durationWords, expiryWords, plural, quoted } from './words.ts';

/** How long the service may return 429 before that is more than a full window, in ms. */
const LASTING_MS = 10 * 60_000;

const START_MS = 60_000;

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

/** Messages by problem. The first sentence is the headline, the rest is the advice. */
type Texts = Readonly<Record<string, string | false | null | undefined>>;

/** All problems of a state, with the most serious ones first. */
export function problemsOf(state: State): Problem[] {
  const outages = outageTexts(state);
  const texts = {
    ...outages,
    readers_without_chart: withoutChart(state, outages),
    ...limitTexts(state),
    ...ownTexts(state),
  };
  const found = Object.entries(texts).flatMap(([code, text]): Problem[] => {
    if (!text) return [];
    const at = text.indexOf('. ') + 1;
    const stage = code === 'key_ends' && { stage: String(stageOf(state.keyExpiry?.inDays)) };
    const level = LEVELS[code]?.(state) ?? 'degraded';
    return [{ code, level, headline: text.slice(0, at), advice: text.slice(at + 1), ...stage }];
  });
  return [...found, ...chartProblems(state), ...sourceProblems(state)];
}

/** Problems because of which readers get older charts, or none. */
function outageTexts(state: State): Texts {
  const { key, chartsLastMs, budget, failing, redis } = state;
  const limitedMs = failing?.code === 'rate_limited' ? failing.forMs : 0;
  const scope = key.missingScope;
  const keyWords = failureWords({ code: scope === undefined ? 'key_rejected' : 'scope_missing', detail: scope }).join(
    '. ',
  );
  const outcome = scope === 'sources:read' ? 'Charts are refreshed, but the list isn’t.' : lasts(chartsLastMs);
  const redisWords = failureWords({ code: redis?.fault ?? 'connection', variable: 'REDIS_URL' }).join('. ');
  return {
    stopping:
      state.stopping &&
      'This server is stopping. Requests are still answered, and /readyz sends new readers to other instances.',
    upstream_auth: key.state === 'refused' && `The service rejects calls: ${keyWords} ${outcome}`,
    upstream_unavailable: isDown(state) && serviceDown(state),
    upstream_rate_limited:
      limitedMs >= LASTING_MS
        ? `The service has answered 429 to every call for ${durationWords(limitedMs)}. Charts aren’t refreshed. ${failureWords({ code: 'rate_limited' })[1]}`
        : budget.pausedForMs + limitedMs > 0 &&
          `The service allows no more calls for now. Charts get older. The next call is possible in ${durationWords(budget.pausedForMs)}. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give that program its own key.`,
    redis_lost:
      redis?.state === 'lost' &&
      `Redis has been unavailable for ${durationWords(redis.lostForMs)}: ${redisWords} Until then, this server works without Redis: charts get older, and charts that aren’t loaded yet may be missing.`,
  };
}

/** Problems with the start, and with limits of calls and requests. */
function limitTexts(state: State): Texts {
  const { outcomes, warnings, failing, hosts, chartsLastMs, redis, images, sources, serviceLimit } = state;
  const { capacity, limit, reserve, others, starting, left, pausedForMs } = state.budget;
  const requests = outcomes.total + outcomes.limited;
  const behind = sources.filter((source) => hasReaders(source) && source.readersSee === 'earlier-version').length;
  const down = hosts.find((host) => host.state === 'open' || host.state === 'half-open');
  const [what, advice] = failureWords({ code: 'connection', ...down?.failure, host: down?.host });
  const isLimited = warnings.includes(UNTRUSTED_PROXY) && isMany(outcomes.limited, requests);
  const isShaky = failing?.code !== 'rate_limited' && !isDown(state) && !isAnswering(hosts);
  const isEmpty = !state.ready && state.key.state !== 'refused' && !isDown(state);
  const isShared = redis?.state !== 'lost' && !starting;
  const isLowered = serviceLimit !== null && serviceLimit < limit;
  const isSpent = isShared && left < 1 && pausedForMs === 0 && behind > 0;
  return {
    clients_limited:
      isLimited &&
      `${percent(outcomes.limited, requests)} of the requests in the last 5 minutes were rejected, because all readers behind a proxy share one rate limit. Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1.`,
    upstream_failing:
      failing &&
      isShaky &&
      `The last call to the service failed: ${failureWords(failing)[0]}. It is retried. ${lasts(chartsLastMs)}`,
    starting:
      isEmpty &&
      'There is nothing to serve until the service answers. This takes a few seconds after a start. If it takes longer than a minute, run pulse-bff check.',
    other_users:
      others > reserve &&
      `Other programs use the same key, which leaves ${plural(capacity, 'call')} of ${limit - reserve} for charts. Give the other program a key from a different account, or make that program call less often.`,
    lower_limit:
      isLowered &&
      `The service allows ${serviceLimit} calls, fewer than PULSE_RATE_LIMIT says (${limit}). Set PULSE_RATE_LIMIT to ${serviceLimit}.`,
    budget_spent:
      isSpent &&
      `No call is left at the moment, and ${plural(behind, 'chart')} can’t be refreshed yet. ${failureWords({ code: 'out_of_calls' })[1]}`,
    images_failing:
      images.failed > 0 &&
      images.failed >= images.loaded &&
      'Most chart images can’t be loaded. Readers see only the text. The log names the host and the reason. Check PULSE_IMAGE_HOSTS, and whether this server can reach these hosts.',
    host_down:
      down &&
      isAnswering(hosts) &&
      `The ${down.host === 'main' ? 'main' : 'second'} host fails: ${what}. The other host answers, so readers notice nothing. ${advice}`,
  };
}

/** Problems with the operator's input: Redis, keys, files, and the log. */
function ownTexts({ redis, keyExpiry, keyFile, stateDirFault, withheld, logLost, unreadableRows: rows }: State): Texts {
  const keyState = keyFile?.state ?? 'in_use';
  const disk = { code: stateDirFault ?? '', detail: stateDirFault ?? '', variable: 'PULSE_STATE_DIR' };
  return {
    redis_evicts:
      ![undefined, null, 'noeviction'].includes(redis?.evictionPolicy) &&
      `Redis may evict shared data: its maxmemory-policy is ${redis?.evictionPolicy}. Set maxmemory-policy to noeviction, or use another Redis server. If the shared budget is lost, all instances pause for a full window.`,
    key_ends:
      keyExpiry !== null &&
      stageOf(keyExpiry.inDays) !== undefined &&
      `The API key expires ${expiryWords(keyExpiry)}. Create a new key and write it to the file set in PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.`,
    key_file_refused:
      keyState === 'refused' &&
      'The service rejects the new key in the key file. The previous key stays in use. Don’t revoke it. Write another key to the file set in PULSE_API_KEY_FILE.',
    key_file_unusable:
      !['in_use', 'untried', 'refused'].includes(keyState) &&
      `The key file is ${keyState}. The last key stays in use. Write one line of 8 to 256 visible ASCII characters to the file set in PULSE_API_KEY_FILE. Until then, a restart would fail.`,
    state_dir_unwritable:
      typeof stateDirFault === 'string' &&
      `The state folder isn’t usable (${stateDirFault}): ${failureWords(disk).join('. ')} A restart would begin with older charts, or with none.`,
    withheld_file_unusable:
      typeof withheld?.fault === 'string' &&
      `The file set in PULSE_WITHHELD_FILE is ${withheld.fault}. Texts that are withheld stay withheld. ${withheld.fault === 'missing' ? 'Restore the file: after a restart without it, readers would see all texts. To show all texts again, create an empty file.' : 'Make it a text file that the user of this server can read. Until then, the server can’t be restarted.'}`,
    log_lost:
      logLost &&
      'The log can’t be written. Readers are still served. Check what standard output leads to: a full disk, or a program that stopped reading it.',
    rows_unreadable:
      rows > 0 &&
      `${plural(rows, 'row')} of the list of sources can’t be read. The rest is used. Report this to the operator of the service.`,
  };
}

/** The hosts whose charts readers don't get, up to five. */
function chartProblems({ refusedCharts }: State): Problem[] {
  return refusedCharts.slice(0, 5).map(({ host, reason, charts }) => {
    const [what, advice] = failureWords({ code: `chart_${reason}` });
    const headline = `${plural(charts, 'chart')} of ${host} can’t be shown: ${what}.`;
    return { code: 'chart_refused', level: 'degraded', headline, advice, host };
  });
}

const LOOK_AT_SOURCE =
  'Look at the source in the dashboard. If it is in order, report this to the operator of the service.';

/** The problems of single sources. */
function sourceProblems(state: State): Problem[] {
  const failing = new Set(failingSources(state));
  return state.sources.flatMap((source) => {
    const { sourceId, name, status, lastFailure } = source;
    const texts = {
      sources_failing:
        failing.has(source) &&
        lastFailure &&
        `has failed for ${durationWords(lastFailure.forMs)}: ${failureWords(lastFailure)[0]}`,
      source_broken: status === 'BROKEN' && 'needs reconnection: it gets no new charts',
      source_overdue: state.overdue.includes(sourceId) && 'is overdue: it usually has a new chart by now',
    };
    return Object.entries(texts).flatMap(([code, text]): Problem[] => {
      const headline = `The source ${quoted(name ?? sourceId)} ${text}.`;
      const level = code === 'sources_failing' ? 'degraded' : 'notice';
      return text ? [{ code, level, sourceId, headline, advice: LOOK_AT_SOURCE }] : [];
    });
  });
}

function serviceDown({ hosts, failing, chartsLastMs }: State): string {
  const host = hosts.find(({ preferred }) => preferred) ?? hosts[0];
  const [what, advice] = failureWords(failing ?? { code: 'connection', ...host?.failure, host: host?.host });
  const outcome = chartsLastMs > 0 ? `Readers keep the last charts. ${lasts(chartsLastMs)}` : 'Readers get an error.';
  return `The service has failed for ${durationWords(failing?.forMs ?? 0)}: ${what}. ${outcome} ${advice}`;
}

/** Too many readers don't get a chart. If another problem is the cause, that problem has the advice. */
function withoutChart({ outcomes: { total, bad }, outcomes }: State, outages: Texts): string | false {
  const [[code] = ['']] = Object.entries(bad).toSorted(([, a], [, b]) => b - a);
  const count = Math.round(badShare(outcomes) * total);
  const { words, advice } = causeOf(code, {});
  const cause = code.startsWith('upstream_')
    ? Object.keys(outages).find((other) => other !== 'stopping' && outages[other])
    : undefined;
  const text = `${percent(count, total)} of the requests in the last 5 minutes got no chart, mostly because ${words} (${code}).`;
  return isMany(count, total) && `${text} ${cause === undefined ? advice : `The cause is another problem: ${cause}.`}`;
}

/** The share of readers who got no chart, from 0 to 1. */
export function badShare({ total, bad }: State['outcomes']): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** Whether so many requests, and so large a share of them, are a problem. */
function isMany(count: number, total: number): boolean {
  return count >= 3 && count > 0.05 * total;
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
