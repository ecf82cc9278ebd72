import type { ListedSource } from '../data/parse-sources.ts';
import type { Pulse, Rhythm } from '../data/pulse.ts';
import type { PulseErrorCode } from '../data/result.ts';
import { type EarlierRun, FakeBff, pulseOf } from '../fake-bff/index.ts';

const HOUR_MS = 3_600_000;

/** All pulses use the same current time, so two pulses with the same age have identical timestamps. */
const STARTED_AT = Date.now();

/** The age of the responses for `old-…` sources. */
const OLD_MS = 73 * HOUR_MS;

/** The request that a fake BFF responds to. */
export interface StubRequest {
  readonly base: string;
  /** The number of requests of this kind so far, including this one. */
  readonly asked: number;
  /** The delivered runs, keyed by source. */
  readonly delivered: ReadonlyMap<string, string> | undefined;
  /** The reader whose pulses this fake BFF serves. Their summaries name the reader. */
  readonly reader: string | undefined;
}

/** The published fake with these sources. The first word of an ID determines its source's properties. */
export function fakeBffWith(ids: readonly string[], request: StubRequest): FakeBff {
  const known = ids.filter((id) => kindOf(id) !== 'unknown');
  const bff = new FakeBff({
    sources: known.map((id) => sourceOf(id, request)),
    rhythms: Object.fromEntries(known.map((id) => [id, rhythmOf(id, request)])),
    runs: Object.fromEntries(known.filter((id) => kindOf(id) === 'past').map((id) => [id, earlierRuns()])),
    pulses: known.filter((id) => hasPulse(id, request)).map((id) => stubPulse(id, request)),
  });
  for (const id of ids) {
    if (kindOf(id) === 'says') bff.fail(id.replace('says-', '') as PulseErrorCode, id);
    if (kindOf(id) === 'down') bff.fail('upstream_unavailable', id);
    if (kindOf(id) === 'stale') bff.goStale(id);
  }
  return bff;
}

/** A response from the fake in which the pulses of `old-…` sources were requested from the service three days ago. */
export function agedAnswer(answer: { pulses?: readonly { sourceId: string; meta?: object }[] }): object {
  const requestedAt = new Date(Date.now() - OLD_MS).toISOString();
  const pulses = answer.pulses?.map((outcome) =>
    kindOf(outcome.sourceId) === 'old' ? { ...outcome, meta: { ...outcome.meta, requestedAt } } : outcome,
  );
  return pulses ? { ...answer, pulses } : answer;
}

/**
 * A source's usual interval. `overdue-…` is overdue, `silent-…` is overdue from the second request on, and `steady-…`
 * isn't overdue.
 */
function rhythmOf(id: string, { asked }: StubRequest): Rhythm {
  const [kind, usual] = id.split('-');
  const isOverdue = kind === 'overdue' || (kind === 'silent' && asked > 1);
  const isKnown = isOverdue || kind === 'steady';
  return {
    usual: isKnown ? (usual as Rhythm['usual']) : null,
    overdueSince: isOverdue ? new Date(STARTED_AT - 24 * HOUR_MS).toISOString() : null,
  };
}

/**
 * Seven runs, one for each day, newest first. The third run is withheld and has the same number as the second run.
 */
function earlierRuns(): EarlierRun[] {
  return [1, 2, 2, 4, 5, 6, 7].map((figure, at) => ({
    jobRunId: `past_${at + 1}`,
    completedAt: new Date(STARTED_AT - (at + 1) * 24 * HOUR_MS).toISOString(),
    aiSummaryShort: `Payrolls reached **142.${figure}** million in 2015, up 1.1%.`,
    imageUrl: null,
    ...(at === 2 && { withheld: true }),
  }));
}

function kindOf(id: string): string {
  return id.split('-')[0] ?? '';
}

function hasPulse(id: string, { delivered }: StubRequest): boolean {
  return kindOf(id) !== 'empty' || delivered?.has(id) === true;
}

function sourceOf(id: string, { asked }: StubRequest): ListedSource {
  const names: Record<string, string | null> = { empty: 'Store revenue', down: 'Pipeline', nameless: null };
  const statuses: Record<string, string> = { broken: 'BROKEN', empty: 'BROKEN', degraded: 'DEGRADED', draft: 'DRAFT' };
  // The source is partly repaired between two requests.
  if (kindOf(id) === 'mending') statuses['mending'] = asked > 1 ? 'DEGRADED' : 'BROKEN';
  const name = names[kindOf(id)];
  const status = statuses[kindOf(id)] ?? 'ACTIVE';
  return { id, provider: 'GOOGLE', name: name === undefined ? 'Q2 revenue' : name, status, ...linkOf(id) };
}

/** The fields that `PULSE_EXPOSE=link` adds. */
function linkOf(id: string): { link?: string } {
  if (kindOf(id) === 'linked') return { link: 'https://dashboard.test/sources/src_1' };
  return kindOf(id) === 'hostilelink' ? { link: 'javascript:window.pwned=1' } : {};
}

function stubPulse(id: string, { base, asked, delivered, reader }: StubRequest): Pulse {
  const run = delivered?.get(id);
  return pulseOf(id, {
    sourceName: 'US nonfarm employment',
    completedAt: new Date(STARTED_AT - 2 * HOUR_MS).toISOString(),
    imageUrl: `${base}/chart.png`,
    aiSummaryShort:
      'Payrolls reached 143.1 million in December 2015, up 1.9% over the year and 5.7 million above the 2008 peak.',
    aiSummaryLong: 'Payrolls **rose** in every month.\n\n- Most: May\n- Least: July\n\nThe year before was *slower*.',
    ...(kindOf(id) === 'new' && { jobRunId: `run_${asked}`, aiSummaryShort: `Summary ${asked}` }),
    ...oddities(id, base, asked),
    ...(run && newRun(run, base)),
    ...(reader && { aiSummaryShort: `For ${reader}` }),
  });
}

function newRun(run: string, base: string): Partial<Pulse> {
  return {
    jobRunId: run,
    aiSummaryShort: `Summary of **${run}**`,
    imageUrl: `${base}/square.png`,
    completedAt: new Date().toISOString(),
  };
}

function oddities(id: string, base: string, asked: number): Partial<Pulse> {
  const [kind = ''] = id.split('-');
  if (kind === 'overdue') return { completedAt: new Date(STARTED_AT - 72 * HOUR_MS).toISOString() };
  if (kind === 'withheld') return { withheld: true, ...(id.includes('noimage') && { imageUrl: null }) };
  // The text is withheld and later restored.
  if (kind === 'brake' && asked === 2) return { withheld: true };
  if (kind === 'square') return { imageUrl: `${base}/square.png` };
  if (kind === 'aged') return { completedAt: new Date(STARTED_AT - Number(id.split('-')[1]) * HOUR_MS).toISOString() };
  if (kind === 'late') return { imageUrl: `${base}/chart.png?delay=200` };
  if (kind === 'noimage') return { imageUrl: null };
  if (kind === 'badimage') return { imageUrl: `${base}/missing.png` };
  if (kind === 'flaky') return { imageUrl: `${base}/flaky.png` };
  if (kind === 'hanging') return { imageUrl: `${base}/hanging.png` };
  if (kind === 'proxied') return { imageUrl: `${base}/v1/sources/proxied-1/image?run=run_1` };
  if (kind === 'sized') return { imageUrl: `${base}/v1/sources/${id}/image?run=run_1` };
  if (kind === 'held') return { imageUrl: `${base}/chart.png?id=${id}` };
  if (kind === 'heldnew') return { jobRunId: 'run_2' };
  if (kind === 'newer') return { jobRunId: 'run_2', imageUrl: `${base}/v1/sources/newer-1/image?run=run_2` };
  if (kind === 'verbose' || kind === 'verbosebare')
    return {
      aiSummaryShort: 'Payrolls rose in most states. '.repeat(27).trim(),
      aiSummaryLong: null,
      ...(kind === 'verbosebare' ? { imageUrl: null } : {}),
    };
  if (kind === 'terse')
    return {
      aiSummaryShort: 'Payrolls reached 143.1 million in December 2015, up 1.9% over the year.',
      aiSummaryLong: null,
    };
  if (kind === 'linked') return { deliveryLink: 'https://delivery.test/run_1' };
  if (kind === 'hostilelink') return { deliveryLink: 'javascript:window.pwned=1' };
  if (kind === 'short') return { aiSummaryShort: 'Up 12%.', aiSummaryLong: null };
  if (kind === 'bold')
    return { aiSummaryShort: 'Payrolls reached **143.1 million** in December 2015, up *1.9%* over the year.' };
  if (kind === 'nameless') return { sourceName: null };
  if (kind === 'bare')
    return { sourceName: null, completedAt: null, imageUrl: null, aiSummaryShort: null, aiSummaryLong: null };
  if (kind === 'arabic')
    return {
      sourceName: 'إيرادات الربع الثاني',
      aiSummaryShort: 'ارتفعت الإيرادات بنسبة 12٪ في الربع الثاني.',
      aiSummaryLong: 'ارتفعت **الإيرادات**.',
    };
  return kind === 'wordy'
    ? { aiSummaryShort: 'A summary that does not end. '.repeat(40), sourceName: 'Name '.repeat(60) }
    : {};
}

/** The list that a BFF with this behavior returns. */
export function sourcesOf(behavior: string): ListedSource[] {
  if (behavior === 'empty') return [];
  if (behavior === 'ten')
    return Array.from({ length: 10 }, (_, at) => ({
      id: `late-${at}`,
      name: 'Q2',
      provider: 'GOOGLE',
      status: 'ACTIVE',
    }));
  if (behavior === 'past') return [{ id: 'past-1', name: 'Jobs', provider: 'GOOGLE', status: 'ACTIVE' }];
  if (behavior === 'rhythms')
    return ['silent-daily', 'steady-daily', 'overdue-daily'].map((id) => ({
      id,
      name: id,
      provider: 'GOOGLE',
      status: 'ACTIVE',
    }));
  if (behavior === 'aged')
    return ['bare-1', 'empty-1', 'aged-48', 'aged-1', 'aged-96', 'aged-5'].map((id) => ({
      id,
      name: id,
      provider: 'GOOGLE',
      status: 'ACTIVE',
    }));
  const sources: ListedSource[] = [
    { id: 'ready-1', name: 'US nonfarm employment', provider: 'GOOGLE', status: 'ACTIVE' },
    { id: 'degraded-1', name: 'Pipeline', provider: 'HUBSPOT', status: 'DEGRADED' },
    { id: 'broken-1', name: 'Orders', provider: 'SHOPIFY', status: 'BROKEN' },
    { id: 'draft-1', name: null, provider: 'GOOGLE', status: 'DRAFT' },
    { id: 'empty-1', name: 'Store revenue', provider: 'GOOGLE', status: 'PENDING' },
    { id: 'ready-3', name: 'Ledger', provider: 'QUICKBOOKS', status: 'PAUSED' },
  ];
  if (behavior === 'bare') return sources;
  const [first] = sources;
  if (behavior === 'wordy' && first)
    return ['CONTOSO_ANALYTICS_CLOUD_EUROPE', 'CONTOSOANALYTICSCLOUDFOREUROPE'].flatMap((word, at) =>
      [null, 'https://dashboard.test/'].map((link, index) => ({
        ...first,
        id: `ready-${at}${index}`,
        provider: word,
        link,
      })),
    );
  const isHostile = behavior === 'hostile';
  return sources.map((source, at) => ({
    ...source,
    ...(isHostile
      ? { name: '<img src=x onerror="window.pwned = 1">\u202e', provider: '"><b>', status: 'open draft' }
      : {}),
    link: isHostile ? 'javascript:window.pwned=1' : `https://dashboard.test/sources/${source.id}`,
    connectionCount: at,
  }));
}
