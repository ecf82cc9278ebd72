import { html, type TemplateResult } from 'lit';
import { shareUrl } from '../theme/kept-look.ts';
import '../ui/copy-button.ts';
import { icon } from '../ui/icons.ts';

/** The callbacks for the buttons in the bar. */
export interface BarActions {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly onStep: (direction: 'undo' | 'redo') => void;
  readonly onReset: () => void;
}

/** The buttons in the bar. */
export function barActionsTemplate({ canUndo, canRedo, onStep, onReset }: BarActions): TemplateResult {
  return html`<button
      type="button"
      class="button plain"
      title="Undo (Ctrl+Z)"
      ?disabled=${!canUndo}
      @click=${() => onStep('undo')}
    >
      ${icon('reset')}<span>Undo</span>
    </button>
    <button
      type="button"
      class="button plain wide-only"
      title="Redo (Ctrl+Shift+Z)"
      ?disabled=${!canRedo}
      @click=${() => onStep('redo')}
    >
      Redo
    </button>
    <button type="button" class="button plain wide-only" @click=${onReset}>Reset</button>
    <copy-button kind="second" label="Share this look" .text=${shareUrl}></copy-button>`;
}
