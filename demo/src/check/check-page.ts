import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { barTemplate } from '../shell/bar.ts';
import { bestSource, fetchConfig, fetchImageOrigin, fetchSources, type StudioConfig } from '../shell/bff-api.ts';
import { PageElement } from '../shell/page-element.ts';
import { lacksChartOrigin, operatorLine, originOf, policyFactsOf, policyLines, withScheme } from '../studio/policy.ts';
import { badge, verdict } from '../ui/badge.ts';
import { codeLines } from '../ui/code-lines.ts';
import { submittedText } from '../ui/fields.ts';
import type { Diagnosis, Finding, StudioSettings } from '@pulse-card/bff';
import { requestDiagnosis } from './diagnosis.ts';
import { doctorLine } from './doctor-line.ts';
import './check.css';

/** Shows what keeps a page's cards from working and which line to change. */
export class CheckPage extends PageElement {
  static override properties: PropertyDeclarations = {
    config: { state: true },
    chartOrigin: { state: true },
    url: { state: true },
    diagnosis: { state: true },
    problem: { state: true },
    isBusy: { state: true },
  };
  declare config: StudioConfig | undefined;
  /** The origin of a source's chart; undefined if it isn't known. */
  declare chartOrigin: string | undefined;
  declare url: string;
  declare diagnosis: Diagnosis | undefined;
  declare problem: string;
  declare isBusy: boolean;

  constructor() {
    super();
    this.config = undefined;
    this.chartOrigin = undefined;
    this.url = new URLSearchParams(location.search).get('url') ?? '';
    this.diagnosis = undefined;
    this.problem = '';
    this.isBusy = false;
    void fetchConfig().then(
      (config) => (this.config = config),
      (error: Error) => (this.problem = error.message),
    );
    void fetchChartOrigin().then((origin) => (this.chartOrigin = origin));
  }

  protected override render(): TemplateResult {
    return html`${barTemplate({ page: 'check' })}
      <main class="page check" id="main" tabindex="-1">
        <header>
          <h1>Check a page</h1>
          <p class="quiet">Find out why a card doesn’t appear and which line to change.</p>
        </header>
        <div class="columns">
          <div class="first">${this.#form()} ${this.#result()}</div>
          ${this.config === undefined ? nothing : setUp(this.config, this.chartOrigin)}
        </div>
      </main>`;
  }

  #form(): TemplateResult {
    return html`<form class="panel ask" @submit=${this.#onSubmit}>
      <label for="url">URL of the page, or its origin</label>
      <input
        id="url"
        name="url"
        type="text"
        inputmode="url"
        dir="ltr"
        spellcheck="false"
        autocomplete="url"
        placeholder="https://www.example.com/report"
        .value=${this.url}
      />
      <details>
        <summary>Also explain a token</summary>
        <label for="token">Token</label>
        <textarea
          id="token"
          name="token"
          rows="4"
          spellcheck="false"
          autocomplete="off"
          aria-describedby="token-help"
        ></textarea>
        <p class="help" id="token-help">It is sent only to your BFF and isn’t stored in a URL or a log.</p>
      </details>
      <button class="button primary" aria-disabled=${this.isBusy}>${this.isBusy ? 'Checking …' : 'Check'}</button>
    </form>`;
  }

  #result(): TemplateResult {
    const { diagnosis, problem } = this;
    return html`<div class="result" role="status">
      ${problem === '' ? nothing : verdict('danger', problem)}
      ${diagnosis === undefined ? nothing : this.#diagnosis(diagnosis)}
    </div>`;
  }

  /** Without a URL, only the token was checked. */
  #diagnosis(diagnosis: Diagnosis): TemplateResult {
    const { token } = diagnosis;
    if (this.url === '' && token !== null) return tokenTemplate(token);
    return diagnosisTemplate(diagnosis, this.config);
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.#check(submittedText(event, 'url'), submittedText(event, 'token'));
  };

  async #check(text: string, token: string): Promise<void> {
    if (this.isBusy) return;
    const url = withScheme(text);
    this.url = url;
    this.diagnosis = undefined;
    this.problem = '';
    if (url === '' && token === '') {
      this.problem = 'Enter the URL of a page, or paste a token.';
      return;
    }
    if (url !== '' && originOf(url) === undefined) {
      this.problem = 'This isn’t the URL of a page. Enter a URL such as https://www.example.com/report.';
      return;
    }
    history.replaceState(null, '', url === '' ? location.pathname : `?url=${encodeURIComponent(url)}`);
    this.isBusy = true;
    try {
      this.diagnosis = await requestDiagnosis({ ...(url !== '' && { url }), ...(token !== '' && { token }) });
    } catch (error) {
      this.problem = (error as Error).message;
    }
    this.isBusy = false;
  }
}

/** The issue in one sentence. */
function headline({ page, findings }: Diagnosis): readonly [kind: 'good' | 'warning' | 'danger', words: string] {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors === 1) return ['danger', 'One problem keeps cards from working on this page.'];
  if (errors > 1) return ['danger', `${errors} problems keep cards from working on this page.`];
  if (!page.wasRead) return ['warning', 'The page couldn’t be read.'];
  if (page.cards === 0)
    return ['warning', 'The page’s HTML has no card. This check can’t see cards that a script adds.'];
  return findings.length === 0
    ? ['good', 'Cards work on this page.']
    : ['good', 'Cards work on this page, but there are warnings.'];
}

function diagnosisTemplate(diagnosis: Diagnosis, config: StudioConfig | undefined): TemplateResult {
  const { page, originAllowed, findings, token } = diagnosis;
  const [kind, words] = headline(diagnosis);
  const cards = page.cards === 1 ? '1 card' : `${page.cards} cards`;
  return html`<h2 class="verdict ${kind}">${words}</h2>
    <p class="facts">
      <code><bdi>${page.url}</bdi></code>
      ${originAllowed ? badge('good', 'Origin allowed') : badge('danger', 'Origin not allowed')}
      ${page.wasRead ? badge('neutral', cards) : badge('warning', 'Page not read')}
    </p>
    <ol class="findings">
      ${findings.map((finding) => findingTemplate(finding, config))}
    </ol>
    ${token === null ? nothing : tokenTemplate(token)}`;
}

function findingTemplate(
  { code, severity, title, detail, fix }: Finding,
  config: StudioConfig | undefined,
): TemplateResult {
  const isReleased = typeof config?.script?.publishedUrl === 'string';
  const line = operatorLine(doctorLine(fix, isReleased), {
    command: config?.startCommand,
    ownOrigin: location.origin,
  });
  return html`<li class="panel">
    <h3>${severity === 'error' ? badge('danger', 'Error') : badge('warning', 'Warning')} ${title}</h3>
    <p class="quiet">${detail}</p>
    ${codeLines({ label: 'What to change', copyLabel: 'Copy', lines: [line] })}
    <code class="quiet">${code}</code>
  </li>`;
}

function tokenTemplate({ accepted, lines }: NonNullable<Diagnosis['token']>): TemplateResult {
  const words =
    accepted === null
      ? badge('neutral', 'Not checked')
      : accepted
        ? badge('good', 'Accepted')
        : badge('danger', 'Rejected');
  return html`<section class="panel token" aria-labelledby="token-title">
    <h3 id="token-title">The token ${words}</h3>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>
  </section>`;
}

/** The chart origin of the first source that has a chart; undefined if it can't be read. */
async function fetchChartOrigin(): Promise<string | undefined> {
  const sources = await fetchSources().catch(() => []);
  const source = bestSource(sources);
  return source && fetchImageOrigin(source.id).catch(() => undefined);
}

/** This BFF's settings, shown before a page is checked. */
function setUp(config: StudioSettings, chartOrigin: string | undefined): TemplateResult {
  const { allowedOrigins, publicUrl, access } = config;
  const lines = policyLines('html', policyFactsOf(config, chartOrigin)).map((line) => `${line};`);
  return html`<aside class="panel set-up" aria-label="This BFF">
    <h2>This BFF</h2>
    <dl>
      <dt>URL</dt>
      <dd><code>${publicUrl}</code></dd>
      <dt>Sites that can show cards</dt>
      <dd>
        ${
          allowedOrigins === '*'
            ? 'All'
            : allowedOrigins.length === 0
              ? 'Only pages on its origin'
              : html`<ul>
                  ${allowedOrigins.map((origin) => html`<li><code>${origin}</code></li>`)}
                </ul>`
        }
      </dd>
      <dt>Readers</dt>
      <dd>${access === 'token' ? 'Need a token' : 'Everyone on these sites'}</dd>
      <dt>Content-Security-Policy, if the page has one</dt>
      <dd>${codeLines({ label: 'Lines of the policy', copyLabel: 'Copy the policy lines', lines })}</dd>
      ${lacksChartOrigin(config, chartOrigin) ? html`<dd class="quiet">Add the host of your charts to <code>img-src</code>.</dd>` : nothing}
    </dl>
  </aside>`;
}

customElements.define('check-page', CheckPage);
