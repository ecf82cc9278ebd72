import { html, type TemplateResult } from 'lit';
import type { ListedSource } from '../shell/bff-api.ts';
import { BFF_URL } from '../shell/studio-url.ts';
import { chartThemeOf, type Settings } from '../studio/settings.ts';
import { shownDeclarationsOf } from '../theme/look.ts';
import { styleProperties } from '../ui/style-properties.ts';

/** The data and callbacks for the comparison. */
export interface BothWaysView {
  readonly settings: Settings;
  readonly sources: readonly ListedSource[];
  readonly isOpen: boolean;
  readonly onChoose: (chartTheme: 'light' | 'auto') => void;
}

const WAYS = [
  { value: 'auto', words: 'Charts go dark' },
  { value: 'light', words: 'Keep light' },
] as const;

/**
 * Shows every chart in the account on a dark page, light and dark side by side, with radio buttons to choose between
 * the two.
 */
export function bothWays({ settings, sources, isOpen, onChoose }: BothWaysView): TemplateResult {
  return html`<details class="panel both" ?open=${isOpen}>
    <summary><h2>Charts on dark pages, both ways</h2></summary>
    <p class="quiet">
      Charts drawn on white can go dark with the card. Choose the option that makes all of them easy to read.
    </p>
    <div class="ways" data-pane="dark">
      <div role="radiogroup" aria-label="Charts on dark pages">
        ${WAYS.map(
          ({ value, words }) =>
            html`<label
              ><input
                type="radio"
                name="charts"
                .checked=${chartThemeOf(settings) === value}
                @change=${() => onChoose(value)}
              />
              ${words}</label
            >`,
        )}
      </div>
      ${sources.map(({ id }) => WAYS.map(({ value }) => chart(id, value, settings)))}
    </div>
  </details>`;
}

function chart(sourceId: string, chartTheme: 'light' | 'auto', { look }: Settings): TemplateResult {
  return html`<pulse-card
    source-id=${sourceId}
    base-url=${BFF_URL}
    variant="chart"
    heading-level="3"
    theme="dark"
    chart-theme=${chartTheme}
    ${styleProperties(shownDeclarationsOf(look, 'dark'))}
  ></pulse-card>`;
}
