import { html, nothing, type TemplateResult } from 'lit';
import { type ActionCard, viewOf } from './action-card.ts';
import { ChartZoom } from './chart-zoom.ts';

/** The enlarged chart. The name, the label, the date, and the finding are below the chart. */
export function enlargedTemplate(card: ActionCard): TemplateResult {
  const view = viewOf(card);
  const { pulse, chart, messages, summaryLang, name } = view;
  const { aiSummaryShort } = pulse;
  const alt = name ?? messages.chart;
  const finding =
    aiSummaryShort &&
    html`<div lang=${summaryLang || nothing} dir="auto" ai-disclosure="ai-autonomous">${view.findingTemplate}</div>`;
  return html`<dialog part="dialog" aria-label=${alt} autofocus>
    <section class="bar" lang=${messages.lang}>
      <button class="zoom" aria-label=${messages.zoom} aria-pressed="false">
        ${strokes('M8 3v10')}${strokes('M3 8h10')}
      </button>
      <button part="close" aria-label=${messages.close}>${strokes('M4 4l8 8m0-8l-8 8')}</button>
    </section>
    <section class="sheet">
      <section class="stage">
        <img
          src=${chart.url}
          alt=${alt}
          lang=${name ? summaryLang || nothing : messages.lang}
          referrerpolicy="no-referrer"
          draggable="false"
        />
      </section>
    </section>
    <section class="words">
      <p>
        ${name && html`<small dir="auto">${name}</small>`}${aiSummaryShort && view.noteTemplate}${view.dateTemplate}
      </p>
      ${finding}
    </section>
  </dialog>`;
}

const zooms = new WeakMap<HTMLDialogElement, ChartZoom>();

/** Opens the enlarged view of a card on top of the page. */
export function openEnlarged(root: ShadowRoot): void {
  const dialog = root.querySelector('dialog');
  const chart = root.querySelector<HTMLElement>('[part=image]');
  if (!dialog?.isConnected || !chart || dialog.open) return;
  const zoom = zooms.get(dialog) ?? new ChartZoom(dialog);
  zooms.set(dialog, zoom);
  dialog.showModal();
  zoom.start(chart);
}

function strokes(path: string): TemplateResult {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d=${path} /></svg>`;
}
