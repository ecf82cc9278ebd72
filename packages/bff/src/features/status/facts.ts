import type { Config } from '../../config.ts';
import type { SourceFacts } from '../../pulses/status.ts';
import type { Problem } from '../../lib/problem.ts';
import type { BudgetStatus } from '../../upstream/call-budget.ts';
import type { HostStatus } from '../../upstream/hosts.ts';
import type { KeyStatus } from '../../upstream/key.ts';
import { durationWords, plural } from './words.ts';

/** A source, and what its readers currently get. `unknown` means that the source has never been requested. */
export interface SourceRow extends SourceFacts {
  readonly readersSee: 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';
}

/** A source's row in the status. After a failure, the next refresh is the next retry. */
export function sourceRow(facts: SourceFacts): SourceRow {
  const retryInMs = facts.lastFailure?.retryInMs ?? 0;
  const nextRefreshInMs = hasReaders(facts) && retryInMs > 0 ? retryInMs : facts.nextRefreshInMs;
  return { ...facts, nextRefreshInMs, readersSee: readersSee(facts) };
}

function readersSee({ freshness, hasPulse, isStale, lastFailure }: SourceFacts): SourceRow['readersSee'] {
  if (freshness === 'never-answered') return lastFailure === null ? 'unknown' : 'error';
  if (freshness === 'expired') return 'error';
  if (!hasPulse) return 'no-chart';
  return isStale ? 'earlier-version' : 'fresh';
}

export function hasReaders({ nextRefreshInMs }: Pick<SourceFacts, 'nextRefreshInMs'>): boolean {
  return nextRefreshInMs !== null;
}

/** Problems that readers see come first, then other problems, then the sources with the most views. */
export function inOrder(sources: readonly SourceRow[], overdue: readonly string[]): SourceRow[] {
  const rankOf = (source: SourceRow): number => {
    const isRead = hasReaders(source);
    if (isRead && source.readersSee === 'error') return 0;
    if (isRead && source.readersSee === 'earlier-version') return 1;
    if (source.status === 'BROKEN' || overdue.includes(source.sourceId)) return 2;
    return isRead ? (source.lastFailure === null ? 3 : 2) : 4;
  };
  const byName = (a: SourceRow, b: SourceRow) => (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
  return sources.toSorted((a, b) => rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || byName(a, b));
}

/** How much longer the chart that expires first can be shown. If any charts have readers, only those count. */
export function chartsLastMs(
  { sources, key }: { readonly sources: readonly SourceRow[]; readonly key: KeyStatus },
  { freshMs, staleMs, authStaleMs }: Pick<Config, 'freshMs' | 'staleMs' | 'authStaleMs'>,
): number {
  const usable = sources.filter(({ hasPulse, freshness }) => hasPulse && freshness !== 'expired');
  if (usable.length === 0) return 0;
  const read = usable.filter(hasReaders);
  const oldestMs = Math.max(...(read.length > 0 ? read : usable).map(({ ageMs }) => ageMs ?? 0));
  const keyLastsMs = key.state === 'refused' ? authStaleMs - (key.refusedForMs ?? 0) : Infinity;
  return Math.max(0, Math.min(freshMs + staleMs - oldestMs, keyLastsMs));
}

/** The failure of the list and of all sources with readers, if none of them can be refreshed. */
export function failingOf(list: SourceFacts, sources: readonly SourceFacts[]): SourceFacts['lastFailure'] {
  const isAskedFor = ({ freshness, lastFailure }: SourceFacts) =>
    freshness !== 'never-answered' || lastFailure !== null;
  const failures = [list, ...sources.filter(hasReaders)].filter(isAskedFor).map(({ lastFailure }) => lastFailure);
  const [first] = failures.filter((failure) => failure !== null).toSorted((a, b) => b.forMs - a.forMs);
  if (first === undefined || failures.includes(null)) return null;
  return { ...first, forMs: Math.min(...failures.map((failure) => failure?.forMs ?? 0)) };
}

/** How long a source must keep failing to count as a problem, in ms. */
const FAILING_FOR_MS = 5 * 60_000;

interface Calls {
  readonly hosts: readonly Pick<HostStatus, 'state'>[];
  readonly failing: SourceFacts['lastFailure'];
  readonly key: KeyStatus;
  readonly sources: readonly SourceRow[];
}

/** Sources with readers for which every call has failed for a long time while calls for other sources succeed. */
export function failingSources({ sources, hosts, key }: Pick<Calls, 'sources' | 'hosts' | 'key'>): SourceRow[] {
  if (key.state === 'refused' || !isAnswering(hosts)) return [];
  return sources.filter((source) => hasReaders(source) && (source.lastFailure?.forMs ?? 0) >= FAILING_FOR_MS);
}

/** The fraction of requests in the last few minutes that got no chart, from 0 to 1. */
export function badShare({ total, bad }: { readonly total: number; readonly bad: Readonly<Record<string, number>> }) {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** Whether a host responded to its last call. */
export function isAnswering(hosts: Calls['hosts']): boolean {
  return hosts.some(({ state }) => state === 'closed');
}

/** Whether no host returns a usable response. */
export function isDown({ hosts, failing }: Pick<Calls, 'hosts' | 'failing'>): boolean {
  if (failing?.code === 'not_found_everywhere') return true;
  return hosts.every(({ state }) => state === 'open' || state === 'half-open');
}

/**
 * The calls in the window. `spent`: the BFF's own. `reserved`: calls still reserved for other users of the key. `free`:
 * how many more calls the BFF can make in the window; it can send `left` of these now.
 */
export function budgetFacts({ used: spent, ...budget }: BudgetStatus) {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - budget.earlier - free);
  return { ...budget, reserved, spent, free };
}

/** The state in one sentence. */
export interface StatusSummary {
  readonly level: 'ok' | 'degraded' | 'down';
  readonly headline: string;
  readonly advice: string;
}

const GET_A_SNIPPET = 'Get the snippet for a chart in the Studio, and put it on a page.';

/** The most serious problem, or a message that everything works. */
export function summaryOf(
  problems: readonly Problem[],
  { sources, lastHour }: Pick<Calls, 'sources'> & { readonly lastHour: Readonly<Record<string, number>> },
): StatusSummary {
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
