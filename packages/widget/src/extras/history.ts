import { html, type TemplateResult } from 'lit';
import { warnOnce } from '../diagnostics/warn-once.ts';
import type { SharedFunctions } from '../elements/pulse-card/shared-functions.ts';
import type { CardView } from '../elements/pulse-card/card-view.ts';
import { EXTRAS_ENGLISH } from '../i18n/messages.ts';
import { type ActionCard, viewOf } from './action-card.ts';
import { adoptStyles } from './adopt-styles.ts';
import { changedNumbers } from './changed-numbers.ts';

/** How many earlier findings are shown. */
const MAX_FINDINGS = 5;

const DATE: Intl.DateTimeFormatOptions = { dateStyle: 'medium' };

/** The most that is shown of a finding, in UTF-16 code units. */
const MAX_LENGTH = 4_000;

/** A run, as the BFF lists it. */
interface Run {
  readonly jobRunId: string;
  readonly completedAt: string | null;
  readonly firstSeenAt: string;
  readonly aiSummaryShort: string | null;
  readonly withheld?: boolean;
}

/** The text of an earlier run; empty because the operator of the BFF withholds it. */
interface EarlierFinding {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly finding: string;
}

/** What the template of the earlier findings depends on. */
export interface HistoryView {
  readonly view: CardView;
  /** The AI label. */
  readonly note: unknown;
  /** Returns the address of a run; undefined if the card is private. */
  readonly permalink: (run: string) => string | undefined;
}

/** Loads the findings before the run that is shown. Resolves with their template. Rejects if the answer is malformed. */
export async function loadHistory(card: ActionCard, signal: AbortSignal): Promise<(view: HistoryView) => unknown> {
  const { pulse, request, shared } = viewOf(card);
  const { sourceId, jobRunId } = pulse;
  const { body, failure } = await request(`/v1/sources/${sourceId}/runs`, { revalidate: false, signal });
  if (failure && !signal.aborted)
    warnOnce(`Cannot load earlier findings of "${sourceId}": ${failure.code}. Check PULSE_HISTORY`);
  adoptStyles(card.host.shadowRoot as ShadowRoot);
  const findings = earlierFindings(body, jobRunId, shared);
  return (view) => findings[0] && historyTemplate(findings, view);
}

/** The findings in `body` that are earlier than `run`, and one more to compare the last of them with. */
function earlierFindings(body: unknown, run: string, { cleanText, plainText }: SharedFunctions): EarlierFinding[] {
  const { runs = [] } = Object(body) as { readonly runs?: readonly Run[] };
  return runs
    .slice(runs.findIndex(({ jobRunId }) => jobRunId === run) + 1)
    .filter(({ aiSummaryShort, withheld }) => aiSummaryShort ?? withheld)
    .slice(0, MAX_FINDINGS + 1)
    .map(({ jobRunId, completedAt, firstSeenAt, aiSummaryShort }) => ({
      run: jobRunId,
      at: new Date(completedAt ?? firstSeenAt).toISOString(),
      finding: plainText(cleanText(aiSummaryShort ?? '', MAX_LENGTH)),
    }));
}

function historyTemplate(findings: readonly EarlierFinding[], { view, note, permalink }: HistoryView): TemplateResult {
  const { earlierFindings: title, withheld, lang } = { ...EXTRAS_ENGLISH, ...view.messages };
  // Runs of one day differ by their time.
  const format = view.state.source?.rhythm?.usual === 'hourly' ? undefined : DATE;
  const rows = findings.slice(0, MAX_FINDINGS).map(({ run, at, finding }, index) => {
    const url = permalink(run);
    const date = view.absoluteTime(at, format);
    const day = url ? html`<a href=${url} target="_blank">${date}</a>` : html`<small>${date}</small>`;
    if (!finding)
      return html`<li>
        ${day}
        <div lang=${lang}>${withheld}</div>
      </li>`;
    const parts = changedNumbers(finding, findings[index + 1]?.finding);
    const text = parts.map(([part, isChanged]) => (isChanged ? html`<mark>${part}</mark>` : part));
    return html`<li>
      ${day}${note}
      <div dir="auto" ai-disclosure="ai-autonomous">${text}</div>
    </li>`;
  });
  return html`<section part="history">
    <p id="earlier" lang=${lang}>${title}</p>
    <ul role="list" aria-labelledby="earlier">
      ${rows}
    </ul>
  </section>`;
}
