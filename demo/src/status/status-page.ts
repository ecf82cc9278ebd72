import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, type TemplateResult } from 'lit';
import { barTemplate } from '../shell/bar.ts';
import { PageElement } from '../shell/page-element.ts';
import { verdict } from '../ui/badge.ts';
import { budgetTemplate } from './budget-card.ts';
import { factsTemplate } from './facts.ts';
import { shortDuration } from './format.ts';
import { readersTemplate } from './readers-card.ts';
import { readersTodayTemplate } from './readers-today-table.ts';
import './sources-table.ts';
import { StatusPoll } from './status-poll.ts';
import { summaryOf, summaryTemplate } from './summary.ts';
import { turnedAwayTemplate } from './turned-away-table.ts';
import { withheldRunsTemplate } from './withheld-runs.ts';
import './withhold-button.ts';
import './status.css';

/** Shows the server's state as text and numbers. It updates automatically. */
export class StatusPage extends PageElement {
  readonly #poll = new StatusPoll(this);

  protected override updated(): void {
    const { status, isServerLost } = this.#poll;
    document.title = `${summaryOf(status, isServerLost).headline} · Pulse Card`;
  }

  protected override render(): TemplateResult {
    const { status, isServerLost } = this.#poll;
    return html`${barTemplate({ page: 'status', actions: barActions(status) })}
      <main
        class="page status ${isServerLost ? 'lost' : ''}"
        id="main"
        tabindex="-1"
        @withheld-change=${() => this.#poll.refresh()}
      >
        ${summaryTemplate(status, isServerLost)} ${status === undefined ? nothing : statusTemplate(status)}
      </main>`;
  }
}

function statusTemplate(status: StatusDocument): TemplateResult {
  const { warnings, sources, turnedAway, readersToday } = status;
  return html`${otherProblems(status)} ${warnings.map((warning) => verdict('warning', warning))}
    ${factsTemplate(status)}
    <div class="cards">${budgetTemplate(status)} ${readersTemplate(status)}</div>
    <sources-table .status=${status}></sources-table>
    ${withheldRunsTemplate(status)} ${turnedAwayTemplate(turnedAway)} ${readersTodayTemplate(readersToday, sources)}`;
}

const KINDS = { down: 'danger', degraded: 'warning', notice: 'neutral' } as const;

/** The problems that the headline doesn't mention. */
function otherProblems({ problems, summary }: StatusDocument): TemplateResult[] {
  return problems
    .filter(({ headline }) => headline !== summary.headline)
    .map(({ level, headline, advice }) => verdict(KINDS[level], html`<strong>${headline}</strong> ${advice}`));
}

function barActions(status: StatusDocument | undefined): TemplateResult {
  return html`${
    status === undefined
      ? nothing
      : html`<span class="quiet running">Running for ${shortDuration(status.uptimeMs / 1_000)}</span>
          <time class="quiet" datetime=${status.at}>${status.at.slice(11, 19)} UTC</time>`
  }${
    // Only the admin port, which serves this page at its root, has these documents.
    location.pathname === '/' ? html`<a href="/status">JSON</a><a href="/metrics">Prometheus</a>` : nothing
  }`;
}

customElements.define('status-page', StatusPage);
