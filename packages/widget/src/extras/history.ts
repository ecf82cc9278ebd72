import { html, type ReactiveController, type TemplateResult } from 'lit';
import { warnOnce } from '../diagnostics/warn-once.ts';
import type { ShownParts } from '../elements/pulse-card/shown-card.ts';
import type { CardHost, ShownCard } from '../elements/pulse-card/shown-card.ts';
import { viewOf } from './action-card.ts';
import { changedNumbers } from './changed-numbers.ts';

/** The number of earlier findings that are shown. */
const MAX_FINDINGS = 5;

const DATE: Intl.DateTimeFormatOptions = { dateStyle: 'medium' };

/** A run in the BFF's list. */
interface Run {
  readonly jobRunId: string;
  readonly completedAt: string | null;
  readonly firstSeenAt: string;
  readonly aiSummaryShort: string | null;
  readonly withheld?: boolean;
}

/** An earlier run's text. Empty if the BFF's operator withholds the text. */
interface EarlierFinding {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly finding: string;
}

/** Loads the earlier findings of a card. Drops them when the card drops its pulse or the page provides one. */
class HistoryController implements ReactiveController {
  findings: readonly EarlierFinding[] = [];
  readonly #host: CardHost;
  #run: string | undefined;
  #request = new AbortController();

  constructor(host: CardHost) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdate(): void {
    const { pulse, currentPulse } = this.#host;
    if (pulse || currentPulse?.jobRunId !== this.#run) this.#drop();
  }

  #drop(): void {
    this.#request.abort();
    this.#run = undefined;
    this.findings = [];
  }

  /**
   * Loads the findings from the runs before the visible run, if they haven't been requested yet. Rejects if the
   * response is malformed.
   */
  async load(card: ShownCard): Promise<void> {
    const { pulse, request, readable } = viewOf(card);
    const { sourceId, jobRunId } = pulse;
    if (jobRunId === this.#run) return;
    this.#drop();
    this.#run = jobRunId;
    const { signal } = (this.#request = new AbortController());
    const { body, failure } = await request(`/v1/sources/${sourceId}/runs`, { revalidate: false, signal });
    if (signal.aborted) return;
    if (failure) warnOnce(`Can’t load earlier findings of "${sourceId}": ${failure.code}. Check PULSE_HISTORY`);
    this.findings = earlierFindings(body, jobRunId, readable);
    this.#host.requestUpdate();
  }
}

const controllers = new WeakMap<CardHost, HistoryController>();

/**
 * Loads the earlier findings of a card, once for each run. If the page provides the pulse, there are no earlier
 * findings.
 */
export async function loadHistory(card: ShownCard): Promise<void> {
  const { host } = card;
  if (!host.currentPulse || host.pulse || !host.history || !host.open) return;
  const controller = controllers.get(host) ?? new HistoryController(host);
  controllers.set(host, controller);
  await controller.load(card);
}

/** The findings in `body` from before `run`, plus one more to compare the last one with. */
function earlierFindings(body: unknown, run: string, readable: ShownParts['readable']): EarlierFinding[] {
  const { runs = [] } = Object(body) as { readonly runs?: readonly Run[] };
  return runs
    .slice(runs.findIndex(({ jobRunId }) => jobRunId === run) + 1)
    .filter(({ aiSummaryShort, withheld }) => aiSummaryShort ?? withheld)
    .slice(0, MAX_FINDINGS + 1)
    .map(({ jobRunId, completedAt, firstSeenAt, aiSummaryShort }) => ({
      run: jobRunId,
      at: new Date(completedAt ?? firstSeenAt).toISOString(),
      finding: readable(aiSummaryShort),
    }));
}

/** The earlier findings of a card, if they have loaded. */
export function historyTemplate(card: ShownCard): TemplateResult | undefined {
  const { findings } = (card.host.history && controllers.get(card.host)) || {};
  if (!findings?.[0]) return undefined;
  const view = viewOf(card);
  const { earlierFindings: title, withheld, lang } = view.messages;
  // If several runs are from the same day, their times are shown.
  const format = view.state.source?.rhythm?.usual === 'hourly' ? undefined : DATE;
  const rows = findings.slice(0, MAX_FINDINGS).map(({ run, at, finding }, index) => {
    const url = view.permalink && `${view.permalink}?run=${encodeURIComponent(run)}`;
    const date = view.absoluteTime(at, format);
    const day = url
      ? html`<a href=${url} lang=${view.language} target="_blank">${date}</a>`
      : html`<small lang=${view.language}>${date}</small>`;
    const parts = changedNumbers(finding, findings[index + 1]?.finding);
    const text = parts.map(([part, isChanged]) => (isChanged ? html`<mark>${part}</mark>` : part));
    const content = finding
      ? html`${view.earlierNoteTemplate}
          <div dir="auto" ai-disclosure="ai-autonomous">${text}</div>`
      : html`<div lang=${lang}>${withheld}</div>`;
    return html`<li>${day}${content}</li>`;
  });
  return html`<section part="history">
    <p id="earlier" lang=${lang}>${title}</p>
    <ul role="list" aria-labelledby="earlier">
      ${rows}
    </ul>
  </section>`;
}
