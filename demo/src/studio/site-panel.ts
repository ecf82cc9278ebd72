import { html, nothing, type TemplateResult } from 'lit';
import type { StudioConfig } from '../shell/bff-api.ts';
import { IS_PREVIEW } from '../shell/preview.ts';
import { STUDIO_URL } from '../shell/studio-url.ts';
import { verdict } from '../ui/badge.ts';
import { codeLines } from '../ui/code-lines.ts';
import { submittedText } from '../ui/fields.ts';
import { operatorLine, type PolicyFacts, policyLines, siteVerdict } from './policy.ts';
import type { Settings } from './settings.ts';
import './site-panel.css';

/** The data and callbacks for the site panel. */
export interface SitePanelView {
  readonly settings: Settings;
  readonly config: StudioConfig;
  readonly policy: PolicyFacts;
  /** What is wrong with the input. */
  readonly problem: string | undefined;
  readonly onSite: (site: string) => void;
}

/** Shows whether a site is allowed to show the card and what the site's policy must allow. */
export function sitePanel({ settings, config, policy, problem, onSite }: SitePanelView): TemplateResult {
  const lines = policyLines(settings.tab, policy).map((line) => `${line};`);
  return html`<section class="site" aria-label="Your site">
    ${IS_PREVIEW ? nothing : siteForm({ settings, config, problem, onSite })}
    <div class="policy">
      <h3>Content-Security-Policy <span class="quiet">if the page has one</span></h3>
      ${codeLines({ label: 'Lines of the policy', copyLabel: 'Copy the policy lines', lines })}
    </div>
  </section>`;
}

function siteForm({ settings, config, problem, onSite }: Omit<SitePanelView, 'policy'>): TemplateResult {
  return html`<form
    @submit=${(event: SubmitEvent) => {
      event.preventDefault();
      onSite(submittedText(event, 'site'));
    }}
  >
    <label for="site">Is my site allowed?</label>
    <div class="ask">
      <input
        id="site"
        name="site"
        type="text"
        inputmode="url"
        dir="ltr"
        spellcheck="false"
        placeholder="https://example.com"
        .value=${settings.site}
        aria-describedby="site-verdict"
      />
      <button class="button">Check</button>
    </div>
    <div id="site-verdict" aria-live="polite">
      ${problem !== undefined ? verdict('warning', problem) : settings.site === '' ? nothing : verdictTemplate(settings.site, config)}
    </div>
  </form>`;
}

function verdictTemplate(site: string, config: StudioConfig): TemplateResult {
  const found = siteVerdict(site, config);
  if (found.allowed === undefined) return verdict('danger', found.problem);
  if (found.allowed) return verdict('good', 'Yes, pages on this site can show the card.');
  const { href } = new URL(`check/?url=${encodeURIComponent(found.origin)}`, STUDIO_URL);
  const { startCommand } = config;
  const words =
    startCommand === undefined
      ? 'Ask the server’s operator to allow this site.'
      : 'Restart the server with this command line:';
  const line = operatorLine(found.line, { command: startCommand, ownOrigin: location.origin });
  return html`${verdict('warning', `Not yet. ${words}`)}
    ${codeLines({ label: 'The line for the operator', copyLabel: 'Copy the line for the operator', lines: [line] })}
    <a href=${href}>Check a page on this site</a>`;
}
