import { html, nothing, type TemplateResult } from 'lit';
import type { Pulse } from '../../data/pulse.ts';
import { safeUrl } from '../../data/sanitize.ts';
import { providerColor, providerName } from '../../i18n/provider-name.ts';
import { plainText } from '../../markdown/inline.ts';
import { inlineTemplate } from '../../markdown/inline-template.ts';
import type { CardView } from './card-view.ts';

/** A date format that fits the narrowest card's footer. */
const DATE: Intl.DateTimeFormatOptions = { dateStyle: 'medium' };

/** The source line, the actions, and the analysis. */
export function footerTemplate(view: CardView, pulse?: Pulse): TemplateResult {
  const canUnfold = pulse?.aiSummaryLong ?? view.isFindingCut;
  const more = pulse && (canUnfold ? analysisTemplate(view, pulse) : dateTemplate(view, pulse, DATE));
  // prettier-ignore
  return html`<footer part="footer"><div><slot part="source" name="source">${sourceTemplate(view)}</slot><slot name="footer"></slot></div><slot name="actions"></slot>${pulse && view.extraTemplate?.('actions')}${more}</footer>`;
}

/**
 * The provider and the links that the BFF exposes. Outside a board, a card shows the provider only if there is a link.
 */
function sourceTemplate({ state, listing, messages, onOpenSource }: CardView): unknown[] | undefined {
  const { provider, link } = listing ?? state.source ?? {};
  const links = [
    [link, messages.dashboard],
    [safeUrl(state.data?.deliveryLink), messages.viewDelivery],
  ].filter(([url]) => url);
  if (!links[0] && !listing) return undefined;
  const name =
    provider &&
    html`<small
      ><svg class="dot" aria-hidden="true" color=${providerColor(provider)}></svg>${providerName(provider)}</small
    >`;
  // prettier-ignore
  const anchors = links.map(([url, text]) => html`<a href=${url} target="_blank" lang=${messages.lang} title=${text} @click=${onOpenSource}><span>${text}</span></a>`);
  return [name, ...anchors];
}

/** The completion date, for readers who can't hover. */
export function dateTemplate(
  { language, absoluteTime }: CardView,
  { completedAt }: Pulse,
  format?: Intl.DateTimeFormatOptions,
): unknown {
  return completedAt && html`<small lang=${language}>${absoluteTime(completedAt, format)}</small>`;
}

function analysisTemplate(view: CardView, pulse: Pulse): TemplateResult {
  const { isOpen, isAnalysisBuilt, messages, onToggle } = view;
  const lang = view.summaryLang || nothing;
  const text = pulse.aiSummaryLong ?? '';
  const content = isAnalysisBuilt
    ? [dateTemplate(view, pulse), blocksTemplate(view, text), view.extraTemplate?.('history')]
    : plainText(text);
  // prettier-ignore
  return html`<details ?open=${isOpen} @toggle=${onToggle}><summary part="toggle" lang=${messages.lang} aria-describedby="name">${text ? messages.readAnalysis : messages.readAll}</summary><div part="analysis" lang=${lang} ai-disclosure=${text ? 'ai-autonomous' : nothing}>${content}</div></details>`;
}

/** The blocks of an analysis, or a single paragraph until the code for blocks has loaded. A preview has no links. */
export function blocksTemplate({ markdownTemplate }: CardView, text: string, isPreview: boolean = false): unknown {
  return markdownTemplate?.(text, inlineTemplate, isPreview) ?? html`<p dir="auto">${plainText(text)}</p>`;
}
