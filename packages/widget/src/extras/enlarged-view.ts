import { html, type TemplateResult } from 'lit';
import { type CardMessages, EXTRAS_ENGLISH, type ExtrasMessages } from '../i18n/messages.ts';
import { adoptStyles } from './adopt-styles.ts';
import { ChartZoom } from './chart-zoom.ts';

/** What the enlarged view of a chart is made from. */
export interface EnlargedView {
  readonly url: string;
  readonly alt: string;
  /** The language of `alt`, if it isn't the page's. */
  readonly altLang: unknown;
  readonly messages: CardMessages & Partial<ExtrasMessages>;
  /** Name, label and time. */
  readonly facts: unknown;
  readonly finding: unknown;
}

/** The enlarged chart, and its texts below. */
export function enlargedTemplate(view: EnlargedView): TemplateResult {
  const { url, alt, altLang, facts, finding } = view;
  const messages = { ...EXTRAS_ENGLISH, ...view.messages };
  return html`<dialog part="dialog" aria-label=${alt} autofocus>
    <section class="bar" lang=${messages.lang}>
      <button class="zoom" aria-label=${messages.zoom} aria-pressed="false">
        ${strokes('M8 3v10')}${strokes('M3 8h10')}
      </button>
      <button part="close" aria-label=${messages.close}>${strokes('M4 4l8 8m0-8l-8 8')}</button>
    </section>
    <section class="sheet">
      <section class="stage">
        <img src=${url} alt=${alt} lang=${altLang} referrerpolicy="no-referrer" draggable="false" />
      </section>
      <section class="words">
        <p>${facts}</p>
        ${finding}
      </section>
    </section>
  </dialog>`;
}

const zooms = new WeakMap<HTMLDialogElement, ChartZoom>();

/** Opens the enlarged view of a card over the page. */
export function openEnlarged(root: ShadowRoot): void {
  const dialog = root.querySelector('dialog');
  const chart = root.querySelector<HTMLElement>('[part=image]');
  if (!dialog?.isConnected || !chart || dialog.open) return;
  adoptStyles(root);
  const zoom = zooms.get(dialog) ?? new ChartZoom(dialog);
  zooms.set(dialog, zoom);
  dialog.showModal();
  zoom.start(chart);
}

function strokes(path: string): TemplateResult {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d=${path} /></svg>`;
}
