import { html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import type { CardHost, ShownCard } from '../elements/pulse-card/shown-card.ts';
import { viewOf } from './action-card.ts';
import { ChartZoom } from './chart-zoom.ts';
import { strokes } from './strokes.ts';

/** Tracks whether a card's enlarged view is open. It closes when the card is removed or has no pulse to enlarge. */
class EnlargedController implements ReactiveController {
  isEnlarged = false;
  #zoom: ChartZoom | undefined;
  readonly #host: CardHost;

  constructor(host: CardHost) {
    this.#host = host;
    host.addController(this);
  }

  /** A dialog that was removed from the page stays open but is no longer modal. */
  hostDisconnected(): void {
    this.isEnlarged = false;
  }

  hostUpdate(): void {
    const { currentPulse, failure } = this.#host;
    if (!currentPulse || failure?.code === 'signed_out') this.isEnlarged = false;
  }

  /** Opens the view on top of the page. */
  async open(): Promise<void> {
    this.isEnlarged = true;
    this.#host.requestUpdate();
    await this.#host.updateComplete;
    const root = this.#host.renderRoot;
    const dialog = root.querySelector('dialog');
    const chart = root.querySelector<HTMLElement>('[part=image]');
    if (!dialog?.isConnected || !chart || dialog.open) return;
    if (this.#zoom?.dialog !== dialog) this.#zoom = new ChartZoom(dialog);
    dialog.showModal();
    this.#zoom.start(chart);
  }
}

const controllers = new WeakMap<CardHost, EnlargedController>();

/** Opens the enlarged view of a card. */
export async function enlarge(host: CardHost): Promise<void> {
  const controller = controllers.get(host) ?? new EnlargedController(host);
  controllers.set(host, controller);
  await controller.open();
}

/** The enlarged chart, if the reader has opened it. The name, the label, the date, and the finding are below the chart. */
export function enlargedTemplate(card: ShownCard): TemplateResult | undefined {
  if (!controllers.get(card.host)?.isEnlarged) return undefined;
  const view = viewOf(card);
  const { pulse, chart, messages, summaryLang, name } = view;
  const { aiSummaryShort } = pulse;
  const alt = name ?? messages.chart;
  const finding =
    aiSummaryShort &&
    html`<div lang=${summaryLang || nothing} dir="auto" ai-disclosure="ai-autonomous">${view.findingTemplate()}</div>`;
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
