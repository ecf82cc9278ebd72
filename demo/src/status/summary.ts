import type { StatusDocument } from '@pulse-card/bff';
import { html, type TemplateResult } from 'lit';
import { icon, type IconName } from '../ui/icons.ts';
import { soonWords } from './format.ts';

const LOOKS: Readonly<Record<StatusDocument['summary']['level'], readonly [kind: string, icon: IconName]>> = {
  ok: ['good', 'check'],
  degraded: ['warning', 'warning'],
  down: ['danger', 'warning'],
};

/** The page's message when the server itself isn't responding. */
const SERVER_LOST: StatusDocument['summary'] = {
  level: 'down',
  headline: 'This server isn’t responding.',
  advice: 'It has stopped, or this browser can’t reach it.',
};

const LAST_FIGURES = 'The numbers below are the last ones it sent.';

const FIRST: StatusDocument['summary'] = { level: 'ok', headline: 'Reading the status…', advice: '' };

/**
 * The server's own description of its state, with the time of the next attempt if the service is down. If the server
 * doesn't respond, this is a fixed sentence.
 */
export function summaryOf(status: StatusDocument | undefined, isServerLost: boolean): StatusDocument['summary'] {
  if (status === undefined) return isServerLost ? SERVER_LOST : FIRST;
  if (isServerLost) return { ...SERVER_LOST, advice: `${SERVER_LOST.advice} ${LAST_FIGURES}` };
  const { summary, hosts } = status;
  const isDown = hosts.every(({ state }) => state === 'open');
  if (!isDown) return summary;
  const nextTry = soonWords(Math.min(...hosts.map(({ openForMs }) => openForMs)));
  return { ...summary, advice: `The next attempt is ${nextTry}. ${summary.advice}` };
}

/** The sentence about the state. Screen readers announce changes. */
export function summaryTemplate(status: StatusDocument | undefined, isServerLost: boolean): TemplateResult {
  const { level, headline, advice } = summaryOf(status, isServerLost);
  const [kind, iconName] = LOOKS[level];
  return html`<header class="summary ${kind}">
    <span class="mark">${icon(iconName)}</span>
    <div>
      <h1 aria-live="polite">${headline}</h1>
      <p>${advice}</p>
    </div>
  </header>`;
}
