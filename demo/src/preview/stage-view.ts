import { html, nothing, type TemplateResult } from 'lit';
import type { LoggedEvent } from './event-log.ts';
import { WIDTHS, type Settings } from './settings.ts';

/** Widths that matter: the narrowest, phones, a column, a wide one, and all there is. */
const USUAL_WIDTHS = [240, 320, 400, 600, 800] as const;

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

/** The place that the card stands in, as wide as was chosen. */
export function stageView(card: HTMLElement, { attributes, width }: Settings): TemplateResult {
  return html`<section
    class="stage"
    data-scheme=${attributes['theme'] ?? nothing}
    tabindex="0"
    aria-labelledby="stage-title"
  >
    <h2 id="stage-title" class="unseen">The card</h2>
    <div class="place" style=${width === null ? '' : `inline-size: ${width}px`}>${card}</div>
  </section>`;
}

/** The choice of a width. */
export function widthView(width: number | null, chosen: (width: number | null) => void): TemplateResult {
  return html`<div class="widths">
    <label for="width">Width</label>
    <input
      id="width"
      type="range"
      min=${WIDTHS.min}
      max=${WIDTHS.max}
      step="10"
      .value=${String(width ?? WIDTHS.max)}
      aria-valuetext=${width === null ? 'All there is' : `${width} pixels`}
      @input=${(event: Event) => chosen(Number((event.target as HTMLInputElement).value))}
    />
    <fieldset class="segments">
      <legend class="unseen">Usual widths</legend>
      ${[...USUAL_WIDTHS, null].map((usual) => html`<label><input type="radio" name="usual-width" .checked=${usual === width} @change=${() => chosen(usual)} /><span>${usual ?? 'Full'}</span></label>`)}
    </fieldset>
    <output class="quiet" for="width">${width === null ? 'all there is' : `${width} px`}</output>
  </div>`;
}

/** What the panel of a snippet says, and does. */
export interface SnippetState {
  readonly copied: boolean;
  readonly copy: () => void;
  /** @default that it is all a page needs */
  readonly about?: string;
}

const ALL_THAT_IS_NEEDED =
  'This is all that a page needs whose origin is among PULSE_ALLOWED_ORIGINS of the BFF. It shows what is shown above, takes the width of its place, and reserves the room.';

/** The snippet, to be copied. */
export function snippetView(
  snippet: string,
  { copied, copy, about = ALL_THAT_IS_NEEDED }: SnippetState,
): TemplateResult {
  return html`<section class="panel" aria-labelledby="snippet-title">
    <div class="panel-head">
      <h2 id="snippet-title">Snippet</h2>
      <button class="button" @click=${copy}>${copied ? 'Copied' : 'Copy'}</button>
      <span class="unseen" role="status">${copied ? 'The snippet is in the clipboard' : ''}</span>
    </div>
    <pre class="snippet">${snippet}</pre>
    <p class="quiet">${about}</p>
  </section>`;
}

/** What the card said of late. */
export function eventsView(events: readonly LoggedEvent[], state: string | undefined): TemplateResult {
  return html`<section class="panel" aria-labelledby="events-title">
    <div class="panel-head">
      <h2 id="events-title">Events</h2>
      <code class="quiet">:state(${state ?? '…'})</code>
    </div>
    ${events.length === 0 ? html`<p class="quiet">None yet. The card tells of what it loads, of failures, and when the analysis is unfolded.</p>` : nothing}
    <ol class="events">
      ${events.map(({ at, type, detail }) => html`<li><time>${clock.format(at)}</time> <code>${type}</code> <code class="detail">${detail}</code></li>`)}
    </ol>
  </section>`;
}
