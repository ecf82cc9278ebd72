import type { TemplateResult } from 'lit/html.js';
import { reflect } from './card-element.ts';
import { variantOf } from './card-size.ts';
import { languageOf, setWords } from './languages.ts';
import { follow, type LiveCard } from './live/live-stream.ts';
import { pulseStore } from './pulse-client.ts';
import { announce } from './announcer.ts';
import { absoluteTime, relativeTime } from './moment.ts';
import { paper } from './pulse-controller.ts';
import { ATTRIBUTES, PulseElement } from './pulse-element.ts';
import { dispatch } from './pulse-events.ts';
import { failureOf, isId, readOutcome, readPulse } from './pulse-guard.ts';
import type { Failure, Outcome, Pulse } from './pulse-outcome.ts';
import type { PulseModel } from './pulse-state.ts';
import { cardView, type CardActions, plain } from './pulse-view.ts';
import { failureText, type Words } from './words.ts';

const CARD_ATTRIBUTES = { ...ATTRIBUTES, 'source-id': '', open: false, live: false } as const;

/** Long enough to be noticed in the corner of an eye. */
const FADE_MS = 600;

/**
 * Shows the latest pulse of one source: a chart and what it means.
 *
 * @tagname pulse-card
 *
 * @attr {string} [source-id] - The source whose pulse is shown.
 * @attr {string} [base-url] - The address of the BFF; where the script came from, unless set.
 * @attr {'card' | 'compact' | 'chart' | 'text'} [variant=card] - How the card is laid out.
 * @attr {boolean} [open=false] - The long analysis is unfolded.
 * @attr {boolean} [live=false] - New pulses are shown as they come.
 * @attr {'lazy' | 'eager'} [loading=lazy] - Whether to wait until the card is near the viewport.
 * @attr {number} [heading-level=3] - The level of the heading, 2 to 6.
 * @attr {'auto' | 'light' | 'dark'} [theme=auto] - `auto` follows the `color-scheme` that the page declares.
 * @attr {string} [lang] - The language of the card's words, dates and numbers; the page's own, unless set.
 *
 * @slot - What the page shows until the card is ready, and wherever scripts do not run.
 * @slot heading - In place of the name.
 * @slot actions - At the end of the footer.
 * @slot footer - In the footer, after the note on the commentary.
 * @slot empty - In place of the words for a source without a pulse.
 * @slot error - In place of the words for a failure.
 *
 * @csspart card - The whole card.
 * @csspart header - Name, badge and time.
 * @csspart heading - The name of the source at the time of the run.
 * @csspart status - The badge: an earlier version, a source that needs attention or reconnection.
 * @csspart time - When the run finished.
 * @csspart chart - The plate that holds the chart.
 * @csspart image - The chart.
 * @csspart summary - The short summary.
 * @csspart toggle - What unfolds the analysis.
 * @csspart analysis - The long analysis.
 * @csspart footer - The note on the commentary.
 * @csspart error - What is said of a failure.
 * @csspart skeleton - What is shown meanwhile, where the page gives nothing.
 *
 * @cssprop [--pulse-card-background=light-dark(#fff, #161a23)] - The card's ground.
 * @cssprop [--pulse-card-color=light-dark(#10141f, #f1f3f7)] - Text.
 * @cssprop [--pulse-card-muted=light-dark(#596273, #9aa3b2)] - Time, analysis, footer and what is said on a plate.
 * @cssprop [--pulse-card-border=light-dark(#e1e4ea, #2b313e)] - Hairlines.
 * @cssprop [--pulse-card-surface=light-dark(#eef0f4, #232834)] - Plates without a chart, and bones.
 * @cssprop [--pulse-card-accent=light-dark(#3538cd, #a3a8ff)] - What can be pressed, and the focus ring.
 * @cssprop [--pulse-card-warning=light-dark(#8a5200, #f7b955)] - The badges of an earlier version and of a source that needs attention.
 * @cssprop [--pulse-card-danger=light-dark(#b42318, #ff9c92)] - The badge of a source that needs reconnection.
 * @cssprop [--pulse-card-radius=0.875em] - The corners of the card.
 * @cssprop [--pulse-card-radius-inner=0.5em] - The corners of plate and buttons.
 * @cssprop [--pulse-card-padding=min(1.25em, 5cqi)] - The room at the sides.
 * @cssprop [--pulse-card-font-family=inherit] - The font; its size is that of the element.
 *
 * @cssstate idle - Not asked yet.
 * @cssstate loading - Asking, with nothing to show.
 * @cssstate ready - Shows the latest pulse.
 * @cssstate stale - Shows an earlier version.
 * @cssstate empty - The source has no pulse yet.
 * @cssstate error - There is nothing to show.
 *
 * @fires {CustomEvent<PulseLoadDetail>} pulse-load - The first pulse of a source is there: `{ pulse, stale }`.
 * @fires {CustomEvent<PulseUpdateDetail>} pulse-update - Another run took its place: `{ pulse, previous }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - A pulse could not be had: `{ code, status, retriable, message }`.
 * @fires {CustomEvent<PulseToggleDetail>} pulse-toggle - The reader folded or unfolded the analysis: `{ open }`.
 */
export class PulseCard extends PulseElement implements LiveCard {
  static override readonly observedAttributes: readonly string[] = reflect(this.prototype, CARD_ATTRIBUTES);

  /** Gives the card's own words in a language (`cs`), or other words for one; for all cards of the page. */
  static readonly setWords = setWords;

  /** The source whose pulse is shown. */
  declare sourceId: string;
  /** The long analysis is unfolded. */
  declare open: boolean;
  /** New pulses are shown as they come. */
  declare live: boolean;

  readonly #actions: CardActions = {
    toggled: (open) => this.#toggled(open),
    retry: this.retry,
  };
  #given: Pulse | null = null;

  /** A pulse given by the page; the card asks for none then. */
  get pulse(): Pulse | null {
    return this.#given;
  }
  set pulse(value: Pulse | null) {
    this.#given = value;
    const pulse = readPulse(value);
    if (!value) this.controller.restart();
    else
      this.controller.show(
        pulse
          ? { ok: true, pulse, stale: false, source: null }
          : { ...failureOf('invalid_answer', 0), retriable: false },
      );
  }

  /** The source that is asked for; none where the page gave a pulse. */
  get subject(): string {
    return this.#given ? '' : this.sourceId;
  }

  /** Called by the controller to ask for the pulse. */
  async ask(again: boolean): Promise<Outcome> {
    const { base, sourceId } = this;
    if (!isId(sourceId)) return failureOf('invalid_source_id');
    try {
      // What a server wrote into the page; where that is nothing, or nothing to be read, the BFF is asked.
      const inside = again ? null : this.querySelector(`[data-id="${sourceId}"]`);
      const pulses = JSON.parse(inside?.textContent as string) as { words?: Words }[];
      if (pulses[0]?.words) setWords(languageOf(this), pulses[0].words);
      return readOutcome({ pulses }, sourceId);
    } catch {
      return pulseStore().ask(base, sourceId, again);
    }
  }

  protected override restart(): void {
    if (!this.#given) super.restart();
  }

  protected override view(): TemplateResult | undefined {
    follow(this);
    const { model } = this.controller;
    if (this.served) {
      if (!model.pulse && model.failure?.retriable !== false) return undefined;
      this.open = this.served.querySelector('details')?.open as boolean;
      this.served = this.served.textContent = null;
    }
    const language = languageOf(this);
    return cardView(
      {
        ago: (iso) => relativeTime(iso, language, Date.now()),
        date: (iso) => absoluteTime(iso, language),
        model,
        words: this.words,
        variant: variantOf(this.variant),
        name: this.querySelector('svg text')?.textContent,
        headingLevel: [2, 4, 5, 6].includes(this.headingLevel) ? this.headingLevel : 3,
        unfolded: this.open || paper.matches,
      },
      this.#actions,
    );
  }

  protected override tell(before: PulseModel, { pulse, state }: PulseModel): void {
    const previous = before.pulse;
    if (pulse && !previous) dispatch(this, 'pulse-load', { pulse, stale: state === 'stale' });
    else if (pulse && pulse.jobRunId !== previous?.jobRunId) {
      if (!matchMedia('(prefers-reduced-motion)').matches)
        this.shadowRoot?.firstElementChild?.animate({ opacity: [0, 1] }, FADE_MS);
      announce(`${pulse.sourceName ?? ''} ${plain(pulse.aiSummaryShort ?? '')}`);
      dispatch(this, 'pulse-update', { pulse, previous: previous as Pulse });
    }
  }

  protected override textOf(failure: Failure): string {
    return failureText(this.words, failure);
  }

  #toggled(open: boolean): void {
    if (open === (this.open || paper.matches)) return;
    this.open = open;
    dispatch(this, 'pulse-toggle', { open });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-card': PulseCard;
  }
}
