import type { TemplateResult } from 'lit/html.js';
import { reflect } from '../card-element.ts';
import { askFor } from '../pulse-client.ts';
import { ATTRIBUTES, PulseElement } from '../pulse-element.ts';
import { dispatch } from '../pulse-events.ts';
import type { Outcome } from '../pulse-outcome.ts';
import type { PulseModel } from '../pulse-state.ts';
import { type BoardActions, boardView } from './board-view.ts';
import { readSources, type SourceList } from './source-list.ts';

const BOARD_ATTRIBUTES = { ...ATTRIBUTES, provider: '', columns: '', live: false } as const;

/**
 * Shows every source that the service lists, the one that changed last first: its status, what that means, and its card.
 * The service lists ten sources at most.
 *
 * @tagname pulse-board
 *
 * @attr {string} [provider] - The provider whose sources are listed; all, unless set.
 * @attr {'1' | '2' | '3' | '4' | '5' | '6'} [columns=3] - The most columns there are; fewer where cards would be narrower than 15em.
 * @attr {string} [base-url] - The address of the BFF; where the script came from, unless set.
 * @attr {'card' | 'compact' | 'chart' | 'text'} [variant=card] - How its cards are laid out.
 * @attr {'lazy' | 'eager'} [loading=lazy] - Whether board and cards wait until they are near the viewport.
 * @attr {boolean} [live=false] - Its cards show a new pulse when there is one.
 * @attr {number} [heading-level=3] - The level of its cards' headings, 2 to 6.
 * @attr {'auto' | 'light' | 'dark'} [theme=auto] - `auto` follows the `color-scheme` that the page declares.
 * @attr {string} [lang] - The language of words, dates and numbers; the page's own, unless set.
 *
 * @slot - What the page shows until the list is there, and wherever scripts do not run.
 * @slot empty - In place of the words for an account without sources.
 * @slot error - In place of the words for a failure.
 *
 * @csspart board - The whole board.
 * @csspart filter - The providers, where there are several, each a button that leaves only its sources.
 * @csspart facts - What is known of a source, below its card.
 * @csspart status - The status of a source, and what that means.
 * @csspart link - The way to the source in the dashboard, where the BFF exposes it.
 * @csspart error - What is said of a failure.
 *
 * @cssprop [--pulse-board-gap=1.25em] - The room between cards. Cards and board share the properties of the card.
 *
 * @cssstate idle - Not asked yet.
 * @cssstate loading - Asking, with nothing to show.
 * @cssstate ready - Shows the list, or that it is empty.
 * @cssstate stale - Shows an earlier list.
 * @cssstate error - There is nothing to show.
 *
 * @fires {CustomEvent<PulseBoardLoadDetail>} pulse-board-load - A list is there: `{ sources, stale }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - The list could not be had: `{ code, status, retriable, message }`. The events of its cards come out of the board too.
 */
export class PulseBoard extends PulseElement<SourceList> {
  static override readonly observedAttributes: readonly string[] = reflect(this.prototype, BOARD_ATTRIBUTES);

  /** The provider whose sources are listed; all, unless set. */
  declare provider: string;
  /** How many columns there are, 1 to 6, where they fit. */
  declare columns: string;
  /** Whether cards follow the BFF's events. */
  declare live: boolean;

  /** What the controller asks for. */
  get subject(): string {
    return 'sources';
  }

  #chosen: string | null = null;
  readonly #actions: BoardActions = {
    choose: (provider) => {
      this.#chosen = provider === this.#chosen ? null : provider;
      this.requestUpdate();
    },
    retry: this.retry,
  };

  /** Called by the controller to ask for the list. */
  async ask(again: boolean): Promise<Outcome<SourceList>> {
    const filter = this.provider && `?provider=${encodeURIComponent(this.provider)}`;
    const answer = await askFor(`${this.base}/v1/sources${filter}`, again);
    return answer(readSources);
  }

  /** Asks for the list again, and for the pulses of cards that have asked; resolves when the answers are shown. */
  override async refresh(): Promise<void> {
    await super.refresh();
    const cards = [...(this.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    await Promise.all(cards.filter(({ state }) => state !== 'idle').map((card) => card.refresh()));
  }

  protected override view(): TemplateResult {
    return boardView(
      { model: this.controller.model, words: this.words, chosen: this.#chosen, cards: this },
      this.#actions,
    );
  }

  protected override tell(before: PulseModel<SourceList>, { pulse: sources, state }: PulseModel<SourceList>): void {
    if (sources && sources !== before.pulse) dispatch(this, 'pulse-board-load', { sources, stale: state === 'stale' });
  }

  protected override textOf(): string {
    return this.words.noList;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-board': PulseBoard;
  }
}
