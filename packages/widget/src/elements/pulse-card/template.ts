import { html, nothing, type TemplateResult } from 'lit';
import type { Pulse } from '../../data/pulse.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import type { FailureKind } from '../../i18n/failure-kind.ts';
import { plainText } from '../../markdown/inline.ts';
import { findingTemplate } from '../../markdown/inline-template.ts';
import { type CardView, levelOf, nameOf, noticeKind } from './card-view.ts';
import { chartTemplate } from './chart-template.ts';
import { blocksTemplate, footerTemplate } from './footer-template.ts';
import { headerTemplate } from './header-template.ts';
import { askTemplate, noticeTemplate, skeletonTemplate, waitingTemplate } from './notice-template.ts';

/**
 * A card's content. Card templates contain no line breaks, which would add text nodes. A collapsed card contains at
 * most 76 nodes.
 */
export function cardTemplate(view: CardView): TemplateResult {
  const { state, variant, theme } = view;
  const kind = noticeKind(view);
  const classes = `base ${variant} ${theme} ${view.isChartDark ? 'dark-chart' : ''} ${view.chart.isOutdated ? 'outdated' : ''}`;
  // prettier-ignore
  return html`<article part="base" class=${classes} aria-labelledby=${labelOf(view, kind)} aria-busy=${state.status === 'loading'} tabindex="-1">${contentTemplate(view, kind)}</article>`;
}

function contentTemplate(view: CardView, kind: FailureKind | undefined): unknown {
  const { state, messages, keptPicture } = view;
  if (view.askedHost) return [headerTemplate(view, true), askTemplate(view, messages.showChart)];
  if (kind && keptPicture) return keptTemplate(view, keptPicture);
  if (kind) return [headerTemplate(view, true), noticeTemplate(view, kind), view.listing && footerTemplate(view)];
  return state.data
    ? pulseTemplate(view, state.data)
    : waitingTemplate(view, skeletonTemplate(nameOf(view), view.isPrinting ? view.permalink : undefined));
}

/** The ID of the element that labels the card, if the template contains that element. */
function labelOf(view: CardView, kind: FailureKind | undefined): 'name' | 'finding' | typeof nothing {
  const { data } = view.state;
  if (!kind && !data) return nameOf(view) && (view.askedHost || !view.hasFallback) ? 'name' : nothing;
  if (nameOf(view)) return 'name';
  const hasFinding = kind || data?.aiSummaryShort || data?.withheld || (view.variant === 'chart' && data?.imageUrl);
  return hasFinding ? 'finding' : nothing;
}

/** The snippet's image, with a message that the text is missing. */
function keptTemplate(view: CardView, url: string): TemplateResult {
  const { messages } = view;
  const chart = chartTemplate({ ...view, chart: { url, isMissing: false, attempt: 0 } });
  return html`<div class="face">
      ${headerTemplate(view, true)}
      <div part="error" lang=${messages.lang}>
        <slot name="error"><p id="finding">${messages.noText}</p></slot>
      </div>
      ${chart}
    </div>
    ${view.variant === 'chart' ? nothing : footerTemplate(view)}`;
}

function pulseTemplate(view: CardView, pulse: Pulse): TemplateResult {
  const { variant, summaryLang } = view;
  const { aiSummaryShort, imageUrl } = pulse;
  // If there is no chart, the `chart` variant shows the text.
  const isChart = variant === 'chart' && !!imageUrl;
  const lang = summaryLang || nothing;
  const finding = pulse.withheld
    ? html`<p id="finding" lang=${view.messages.lang} ?hidden=${isChart}>${view.messages.withheld}</p>`
    : isChart
      ? html`<p id="finding" lang=${lang} ai-disclosure="ai-autonomous" hidden>
          <small lang=${view.messages.lang}>${aiNote(view.messages, view.aiReviewedBy)}</small>:
          ${plainText(aiSummaryShort ?? '')}
        </p>`
      : aiSummaryShort &&
        html`<div
          part="heading"
          class=${view.isFindingCut ? 'cut' : nothing}
          role="heading"
          aria-level=${levelOf(view)}
          aria-labelledby="note finding"
          ai-disclosure="ai-autonomous"
        >
          <span part="summary" id="finding" lang=${lang} dir="auto">${findingTemplate(aiSummaryShort)}</span>
        </div>`;
  const header = headerTemplate(view, isChart || !aiSummaryShort);
  const chart = imageUrl && variant !== 'text' ? chartTemplate(view) : nothing;
  const hasLead = view.fill || (!imageUrl && variant !== 'text' && variant !== 'compact');
  const media = hasLead ? [chart, leadTemplate(view, pulse)] : chart;
  const footer = isChart ? nothing : footerTemplate(view, pulse);
  // prettier-ignore
  return html`<div class="face">${header}${finding}${media}</div>${footer}${view.extraTemplate?.('enlarged')}`;
}

/** The first lines of the analysis. The whole analysis is in the footer. */
function leadTemplate(view: CardView, { aiSummaryLong }: Pulse): unknown {
  if (!aiSummaryLong) return nothing;
  return html`<div part="lead" lang=${view.summaryLang || nothing} ai-disclosure="ai-autonomous" aria-hidden="true">
    ${blocksTemplate(view, aiSummaryLong, true)}
  </div>`;
}

/** How many characters of a finding fit in the narrowest card. */
const MAX_WHOLE_FINDING = 100;

/** Whether a finding might be truncated in a card whose width isn't known. */
export function isLongFinding(pulse?: Pulse | null): boolean {
  return (pulse?.aiSummaryShort?.length ?? 0) > MAX_WHOLE_FINDING;
}
