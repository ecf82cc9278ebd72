import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { icon, type IconName } from '../ui/icons.ts';
import { providerName, shortDuration, soonWords } from './format.ts';

type SourceStatus = StatusDocument['sources'][number];

/** A source, with facts from other parts of `/status`. */
export interface SourceLine extends SourceStatus {
  readonly isOverdue: boolean;
  /** Whether none of the service's hosts are responding. */
  readonly isServiceDown: boolean;
  /** The run that readers see; undefined if none is known, or if text can't be withheld on this server. */
  readonly run: string | undefined;
  readonly isWithheld: boolean;
  /** Whether this page is allowed to withhold and restore text. */
  readonly canWithhold: boolean;
}

/** The sources, in the order in which `/status` lists them. */
export function sourceLines({ sources, problems, hosts, withheld }: StatusDocument): SourceLine[] {
  const isServiceDown = hosts.every(({ state }) => state === 'open' || state === 'half-open');
  const overdue = new Set(problems.flatMap(({ code, sourceId }) => (code === 'source_overdue' ? [sourceId] : [])));
  return sources.map((source) => {
    const run = withheld?.latestRuns[source.sourceId];
    return {
      ...source,
      isOverdue: overdue.has(source.sourceId),
      isServiceDown,
      run,
      isWithheld: run !== undefined && withheld?.runs.includes(run) === true,
      canWithhold: withheld?.isWritable === true,
    };
  });
}

type Words = readonly [words: string, kind: '' | 'warning' | 'danger', icon: IconName];

const SEEN: Readonly<Record<SourceStatus['readersSee'], Words>> = {
  fresh: ['Fresh', '', 'check'],
  'earlier-version': ['Earlier version', 'warning', 'clock'],
  'no-chart': ['No chart yet', '', 'info'],
  error: ['An error', 'danger', 'cross'],
  unknown: ['Not requested yet', '', 'info'],
};

/** The text for a source's state as readers see it. The most serious state comes first, as on a card. */
export function wordsOf({ readersSee, status, isOverdue, isWithheld }: SourceLine): Words {
  if (readersSee !== 'fresh' && readersSee !== 'unknown') return SEEN[readersSee];
  if (status === 'BROKEN') return ['Needs reconnection', 'warning', 'pause'];
  if (status === 'DEGRADED') return ['Updates delayed', 'warning', 'clock'];
  if (isOverdue) return ['Overdue', 'warning', 'clock'];
  return isWithheld ? ['Text withheld', '', 'hide'] : SEEN[readersSee];
}

/** Whether the table collapses a source. Sources that need attention stay visible. */
export function isIdle({ nextRefreshInMs, viewsPerMinute, status, isOverdue }: SourceLine): boolean {
  return nextRefreshInMs === null && viewsPerMinute === 0 && status !== 'BROKEN' && !isOverdue;
}

/** A source has many or a few readers if it gets at least this share of the most viewed source's views. */
const MANY = 0.25;
const FEW = 0.05;

/** What determines when a source is refreshed next: its last failure or its number of readers. */
export function whyWords(
  { lastFailure, isServiceDown, nextRefreshInMs, viewsPerMinute }: SourceLine,
  mostViews: number,
): string {
  if (lastFailure !== null) return failureWords(lastFailure);
  if (nextRefreshInMs === null) return viewsPerMinute > 0 ? 'Not viewed since its last refresh' : 'No readers';
  if (isServiceDown) return 'Service not responding';
  const share = viewsPerMinute / mostViews;
  if (share === 1) return 'Most viewed, so refreshed first';
  if (share >= MANY) return 'Many readers';
  return share >= FEW ? 'Few readers' : 'Hardly any readers';
}

/** The messages for the last failure, keyed by its detail in the log. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  server_error: 'Service returns an error',
  gateway: 'Something else responds',
  not_found_everywhere: 'Service returns 404 for everything',
  redirect: 'Service redirects',
  invalid: 'The response can’t be read',
  key_rejected: 'Key rejected',
  scope_missing: 'Key lacks a scope',
  rate_limited: 'Service allows no calls',
  out_of_calls: 'Waiting for an available call',
  starting: 'Server is starting',
  dns: 'Service not responding',
  tls: 'Service not responding',
  connection: 'Service not responding',
  proxy: 'Service not responding',
};

/** A row in the sources table. */
export function sourceRow(source: SourceLine, mostViews: number): TemplateResult {
  const { sourceId, name, provider, ageMs, nextRefreshInMs, viewsPerMinute } = source;
  const [words, kind, iconName] = wordsOf(source);
  return html`<tr>
    <th scope="row" title=${provider === null ? sourceId : `${sourceId}, ${providerName(provider)}`}>
      <span class="name">${name ?? html`<code>${sourceId}</code>`}</span>
    </th>
    <td class="seen ${kind}"><span>${icon(iconName)}${words}</span></td>
    <td class="number" data-label="Age">${ageMs === null ? '–' : shortDuration(ageMs / 1_000)}</td>
    <td class="number" data-label="Next refresh">${nextRefreshInMs === null ? '–' : soonWords(nextRefreshInMs)}</td>
    <td class="why">${whyWords(source, mostViews)}</td>
    <td class="number views" data-label="Views a minute">
      <svg width="56" height="4" aria-hidden="true">
        <rect width="56" height="4" rx="2" class="track" />
        ${svg`<rect width=${(56 * viewsPerMinute) / mostViews} height="4" rx="2" class="views" />`}
      </svg>
      <span>${viewsPerMinute.toFixed(1)}</span>
    </td>
    ${source.canWithhold ? html`<td class="number" data-label="AI text">${withholdTemplate(source)}</td>` : nothing}
  </tr>`;
}

function withholdTemplate({ run, name, sourceId, isWithheld }: SourceLine): TemplateResult | typeof nothing {
  if (run === undefined) return nothing;
  return html`<withhold-button .run=${run} .name=${name ?? sourceId} .isWithheld=${isWithheld}></withhold-button>`;
}

function failureWords(failure: NonNullable<SourceStatus['lastFailure']>): string {
  const words = FAILURES[failure.code] ?? 'The last call failed';
  if (failure.forMs >= 60_000) return `${words} for ${shortDuration(failure.forMs / 1_000)}`;
  return failure.code === 'timeout' ? `${words} once` : words;
}
