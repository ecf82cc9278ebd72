import { html, nothing, type TemplateResult } from 'lit';
import { verdict } from '../ui/badge.ts';
import '../ui/copy-button.ts';
import { switchField } from '../ui/fields.ts';
import { panelId, tabId, tabs } from '../ui/tabs.ts';
import { type CodeFacts, codeFor, PINNABLE } from './code.ts';
import { highlightedLines } from './highlight.ts';
import { CODE_TABS, type CodeTab, type Settings } from './settings.ts';
import './code-panel.css';

const LABEL = 'Code';

/** The data and callbacks of the code panel. */
export interface CodePanelView {
  readonly settings: Settings;
  readonly facts: CodeFacts;
  /** Whether all facts are known. Until then, there is no code. */
  readonly isComplete: boolean;
  readonly onChange: (change: Partial<Settings>) => void;
}

/** Chooses a tab, and brings its code into view where the page has one column. */
function showTab(tab: CodeTab, onChange: CodePanelView['onChange']): void {
  onChange({ tab });
  document.getElementById(panelId(LABEL))?.scrollIntoView({ block: 'nearest' });
}

/** The code of what is shown, in tabs, with a button that copies it. */
export function codePanel({ settings, facts, isComplete, onChange }: CodePanelView): TemplateResult {
  const { tab, pinned } = settings;
  const { text, note } = codeFor(tab, settings, facts);
  // A frame carries no token.
  const isOfUse = tab !== 'iframe' || !facts.isPrivate;
  return html`<section class="code" aria-label="Code for your page">
    <div class="code-head" id="code" tabindex="-1">
      ${tabs({ label: LABEL, tabs: CODE_TABS, current: tab, onSelect: (id) => showTab(id, onChange) })}
      ${isOfUse ? html`<copy-button .text=${text}></copy-button>` : nothing}
    </div>
    <div class="code-body" role="tabpanel" id=${panelId(LABEL)} aria-labelledby=${tabId(LABEL, tab)} tabindex="0">
      ${!isComplete ? nothing : isOfUse ? codeTemplate(text) : verdict('warning', note)}
    </div>
    <div class="code-foot">
      <p class="quiet">${isComplete && isOfUse ? note : nothing}</p>
      ${
        PINNABLE.has(tab) && facts.pinned !== null
          ? switchField({
              id: 'pinned',
              label: 'Pin this version (integrity)',
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
