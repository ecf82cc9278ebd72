import { html, nothing, type TemplateResult } from 'lit';
import { verdict } from '../ui/badge.ts';
import '../ui/copy-button.ts';
import { switchField } from '../ui/fields.ts';
import type { CodeFacts } from './code-facts.ts';
import { codeFor } from './code.ts';
import { canPin, CODE_TABS, type CodeTab, needsOf } from './code-tabs.ts';
import { highlightedLines } from './highlight.ts';
import type { Settings } from './settings.ts';
import './code-panel.css';

/** The ID of the element that contains the code. */
const CODE_ID = 'code-text';

/** The data and callbacks for the code panel. */
export interface CodePanelView {
  readonly settings: Settings;
  readonly facts: CodeFacts;
  /** Whether all facts are known. Until they are, there is no code. */
  readonly isComplete: boolean;
  readonly onChange: (change: Partial<Settings>) => void;
}

/** Selects the place to paste the code. In a one-column layout, scrolls the code into view. */
function showCode(tab: CodeTab, onChange: CodePanelView['onChange']): void {
  onChange({ tab });
  document.getElementById(CODE_ID)?.scrollIntoView({ block: 'nearest' });
}

/** The list for choosing where to paste the code. */
function placeField(current: CodeTab, onChange: CodePanelView['onChange']): TemplateResult {
  return html`<label for="place">Where will you paste it?</label>
    <select
      id="place"
      @change=${(event: Event) => showCode((event.target as HTMLSelectElement).value as CodeTab, onChange)}
    >
      ${Array.from(
        Map.groupBy(CODE_TABS, ({ group }) => group),
        ([group, tabs]) =>
          html`<optgroup label=${group}>
            ${tabs.map(({ id, title }) => html`<option value=${id} .selected=${id === current}>${title}</option>`)}
          </optgroup>`,
      )}
    </select>`;
}

/** The code for the chosen place, with a button that copies it. */
export function codePanel({ settings, facts, isComplete, onChange }: CodePanelView): TemplateResult {
  const { tab, pinned } = settings;
  const { text, note } = codeFor(tab, settings, facts);
  const isOfUse = needsOf(tab) !== 'public' || !facts.isPrivate;
  // Without a source, the code contains a placeholder.
  const canCopy = isComplete && (settings.sourceId !== '' || needsOf(tab) === 'chat');
  return html`<section class="code" aria-label="Code for your page">
    <div class="code-head" id="code" tabindex="-1">
      ${placeField(tab, onChange)}
      ${isOfUse ? html`<copy-button .text=${text} .disabled=${!canCopy}></copy-button>` : nothing}
    </div>
    <div class="code-body" role="region" id=${CODE_ID} aria-label="Code" tabindex="0">
      ${!isComplete ? nothing : isOfUse ? codeTemplate(text) : verdict('warning', note)}
    </div>
    <div class="code-foot">
      <p class="quiet">${isComplete && isOfUse ? note : nothing}</p>
      ${
        canPin(tab) && facts.pinned !== null
          ? switchField({
              id: 'pinned',
              label: 'Load only this version of the script (integrity)',
              checked: pinned,
              onChange: (checked) => onChange({ pinned: checked }),
            })
          : ''
      }
    </div>
  </section>`;
}

function codeTemplate(text: string): TemplateResult {
  return html`<pre dir="ltr"><code>${highlightedLines(text).map(
    (line) =>
      html`<span class="line"
        >${line.map(({ text: part, kind }) => html`<span class=${kind}>${part}</span>`)}${'\n'}</span
      >`,
  )}</code></pre>`;
}
