import { html, type TemplateResult } from 'lit';
import { icon } from '../ui/icons.ts';
import { segmented } from '../ui/segmented.ts';
import { ALL_STATES, STAGE_STATES } from '../states/stage-states.ts';
import type { Settings } from './settings.ts';
import './toolbar.css';

/** The preset widths: the minimum, a phone, a column, and a wide page. */
const WIDTHS = ['240', '320', '480', '600'] as const;

/** The data and callbacks for the toolbar. */
export interface ToolbarView {
  readonly settings: Settings;
  readonly picking: boolean;
  readonly onChange: (change: Partial<Settings>) => void;
  readonly onPicking: (picking: boolean) => void;
}

/** Controls how the stage shows the card: the scheme, width, state, and direction. */
export function toolbar({ settings, picking, onChange, onPicking }: ToolbarView): TemplateResult {
  const { view, width, state, direction } = settings;
  return html`<div class="toolbar" role="group" aria-label="Stage">
    ${segmented({
      label: 'Pages',
      options: [
        { value: 'light', label: 'Light', icon: icon('sun') },
        { value: 'dark', label: 'Dark', icon: icon('moon') },
        { value: 'both', label: 'Both', icon: icon('both') },
      ],
      value: view,
      onChange: (chosen) => onChange({ view: chosen }),
    })}
    <span class="gap"></span>
    ${segmented({
      label: 'Width',
      options: [...WIDTHS.map((value) => ({ value: value as string, label: value })), { value: 'full', label: 'Full' }],
      value: String(width),
      onChange: (chosen) => onChange({ width: chosen === 'full' ? 'full' : Number(chosen) }),
    })}
    <button
      type="button"
      class="button toggle"
      aria-pressed=${width === 'compare'}
      @click=${() => onChange({ width: width === 'compare' ? 480 : 'compare' })}
    >
      Compare<span class="detail"> 320 · 600 · 1200</span>
    </button>
    <span class="gap"></span>
    <button
      type="button"
      class="button toggle"
      aria-pressed=${picking}
      title="Point at a part of the card to see its name. Press it to copy its selector and change its color."
      @click=${() => onPicking(!picking)}
    >
      ${icon('pick')}Pick
    </button>
    <select
      class="state"
      aria-label="State"
      @change=${(event: Event) => onChange({ state: (event.target as HTMLSelectElement).value })}
    >
      ${[...STAGE_STATES, ALL_STATES].map(({ value, label }) => html`<option value=${value} .selected=${value === state}>${value === 'fresh' ? 'State: ' : ''}${label}</option>`)}
    </select>
    ${segmented({
      label: 'Direction of the page',
      options: [
        { value: 'ltr', label: 'LTR' },
        { value: 'rtl', label: 'RTL' },
      ],
      value: direction,
      onChange: (chosen) => onChange({ direction: chosen }),
    })}
  </div>`;
}
