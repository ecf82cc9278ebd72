import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../icons.ts';
import { type CardView, isSignedOut, nameOf } from './card-view.ts';

/** The chart in a 16:9 box. A chart with a different ratio is shown whole in the same box. */
export function chartTemplate(view: CardView): TemplateResult {
  const { messages, chart, onEnlarge } = view;
  const { url, attempt, isMissing, onLoad, onError } = chart;
  // The built-in alt text isn't available in the summary's language, so the alt text is the name.
  const text = view.summaryLang ? nameOf(view) : undefined;
  const src = attempt ? `${url}#${attempt}` : url;
  const image = html`<img
    part="image"
    src=${src}
    alt=${text ?? messages.chart}
    lang=${text ? view.summaryLang : messages.lang}
    aria-describedby=${view.variant === 'chart' ? 'finding' : nothing}
    loading=${view.isChartLazy ? 'lazy' : nothing}
    decoding="sync"
    referrerpolicy="no-referrer"
    @load=${onLoad}
    @error=${onError}
  />`;
  const over = isMissing
    ? html`${icon('noPicture')}
        <p lang=${messages.lang}>${messages.noPicture}</p>`
    : url && view.state.data && !view.version && !isSignedOut(view)
      ? html`<button
          part="enlarge"
          id="enlarge"
          aria-label=${messages.enlarge}
          aria-labelledby="enlarge name"
          lang=${messages.lang}
          @click=${onEnlarge}
        >
          ${icon('enlarge')}
        </button>`
      : nothing;
  return html`<div part="chart" class=${isMissing ? 'missing' : 'plate'}>${url ? image : nothing}${over}</div>`;
}
