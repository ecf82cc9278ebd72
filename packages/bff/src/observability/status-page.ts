import { createHash } from 'node:crypto';
import type { SourceStatusFacts } from '../cache/cache-status.ts';
import type { BffStatus } from './bff-status.ts';
import { statusPageStyles } from './status-page.styles.ts';
import { DEGRADATION_TEXTS, countWords, durationWords, escapeHtml } from './status-format.ts';

/** Puts a new <main> in the old one's place every two seconds; what is selected or scrolled stays. */
const SCRIPT = `
const renew = async () => {
  const answer = await fetch(location.href).catch(() => undefined);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!page) { document.title = 'No answer'; return document.body.classList.add('gone'); }
  document.title = page.title;
  for (const name of ['header', 'main']) if (getSelection().isCollapsed) document.querySelector(name).replaceWith(page.querySelector(name));
};
setInterval(() => document.hidden || renew(), 2000);
`;

/** What the page may load and run: itself, and nothing else. */
export const statusPagePolicy = [
  `default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  `style-src 'sha256-${hashOf(statusPageStyles)}'; script-src 'sha256-${hashOf(SCRIPT)}'`,
].join('; ');

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The status as a page for people. */
export function statusPage(status: BffStatus): string {
  const [mood, words] = stateOf(status);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words} · Pulse Card</title><style>${statusPageStyles}</style></head><body>
<header><h1>Pulse Card BFF</h1><span class="state ${mood}">${words}</span>
<span class="soft">up ${durationWords(status.uptimeMs)}, ${status.at.slice(11, 19)} UTC</span></header>
<main>${status.degraded.map(degradationOf).join('')}
<div class="cards">${budgetCard(status)}${answersCard(status)}${upstreamCard(status)}${liveCard(status)}${redisCard(status)}</div>
<section class="card"><h2>Sources</h2>${sourcesTable(status)}</section>
<footer><a href="/status">As JSON</a> · <a href="/metrics">For Prometheus</a></footer></main>
<script>${SCRIPT}</script></body></html>
`;
}

function stateOf({ stopping, ready, degraded }: BffStatus): [mood: string, words: string] {
  if (stopping) return ['warn', 'Stopping'];
  if (degraded.includes('upstream_auth')) return ['bad', 'Key refused'];
  if (!ready) return ['warn', 'Starting'];
  return degraded.length > 0 ? ['warn', 'Degraded'] : ['good', 'All well'];
}

function degradationOf(code: string): string {
  return `<p class="trouble">${escapeHtml(DEGRADATION_TEXTS[code] ?? code)}</p>`;
}

function budgetCard({ budget, priceSeconds }: BffStatus): string {
  const { used, limit, windowMs } = budget;
  return card(
    'Calls to the service',
    `${figure(used, `of ${limit} in ${durationWords(windowMs)}`)}<progress max="${limit}" value="${used}"></progress>`,
    [
      ['May leave now', countWords(budget.left)],
      ['Left to others', countWords(budget.reserve)],
      ['Made by others', countWords(budget.others)],
      ['Worth a call', `${priceSeconds.toFixed(1)} reader-seconds`],
      ...(budget.pausedForMs > 0 ? [['Paused for', durationWords(budget.pausedForMs)] as const] : []),
    ],
  );
}

function answersCard({ answers }: BffStatus): string {
  const { hit = 0, stale = 0, miss = 0, collapsed = 0 } = answers;
  const known = hit + stale + miss + collapsed;
  const share = known === 0 ? '–' : `${((100 * (hit + stale)) / known).toFixed(1)} %`;
  return card('Answers to readers', figure(known, 'since the start'), [
    ['Without waiting', share],
    ['Fresh', countWords(hit)],
    ['Stale', countWords(stale)],
    ['Waited', countWords(miss + collapsed)],
    ['Other answers', countWords(answers['none'] ?? 0)],
  ]);
}

function liveCard({ live: { connections, events, cut, refused } }: BffStatus): string {
  return card('Live', figure(connections, connections === 1 ? 'stream open' : 'streams open'), [
    ['Events sent', countWords(events)],
    ['Cut, not reading', countWords(cut)],
    ['Refused', countWords(refused.client + refused.total + refused.stopping)],
  ]);
}

function upstreamCard({ hosts, key, callsInFlight }: BffStatus): string {
  const first = hosts.find(({ preferred }) => preferred) ?? hosts[0];
  const name = first === undefined ? '–' : first.host === 'main' ? 'Main host' : 'Second host';
  return card('Service', `<div class="figure">${name} <small>in use</small></div>`, [
    ...hosts.map((host) => [host.host === 'main' ? 'Main host' : 'Second host', hostWords(host)] as const),
    ['Key', key.missingScope === undefined ? key.state : `lacks ${key.missingScope}`],
    ['Calls on their way', countWords(callsInFlight)],
  ]);
}

function redisCard({ redis }: BffStatus): string {
  if (redis === null) return '';
  const { state, instances, isLeader, share, lostForMs } = redis;
  return card('Instances', figure(instances, instances === 1 ? 'on this Redis' : 'on one Redis'), [
    ['Redis', state === 'joined' ? 'shared' : `${redis.fault ?? 'lost'}, ${durationWords(lostForMs)}`],
    ['Plans', isLeader ? 'this one' : 'another'],
    ['Calls without Redis', countWords(share)],
  ]);
}

function hostWords({ state, openForMs }: BffStatus['hosts'][number]): string {
  return openForMs > 0 ? `${state}, ${durationWords(openForMs)} more` : state;
}

function card(title: string, headline: string, facts: readonly (readonly [string, string])[]): string {
  const rows = facts.map(([term, words]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(words)}</dd>`).join('');
  return `<section class="card"><h2>${escapeHtml(title)}</h2>${headline}<dl>${rows}</dl></section>`;
}

function figure(count: number, unit: string): string {
  return `<div class="figure">${countWords(count)} <small>${escapeHtml(unit)}</small></div>`;
}

function sourcesTable({ list, sources }: BffStatus): string {
  const head = ['Source', 'State', 'Age', 'Next refresh', 'Why', 'Views a minute', 'Live', 'Last failure'];
  const rows = [{ ...list, sourceId: 'The list' }, ...sources].map(sourceRow).join('');
  return `<div class="scroll"><table><thead><tr>${head.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

const MOODS = { fresh: 'good', stale: 'warn', expired: 'bad', 'never-answered': 'soft' } as const;

function sourceRow(facts: SourceStatusFacts): string {
  const { freshness: cacheResult, lastFailure } = facts;
  const cells = [
    `<code>${escapeHtml(facts.sourceId)}</code>`,
    `<span class="${MOODS[cacheResult]}">${cacheResult.replace('-', ' ')}</span>`,
    durationWords(facts.ageMs),
    facts.nextRefreshInMs === null ? '–' : `in ${durationWords(facts.nextRefreshInMs)}`,
    escapeHtml(facts.why),
    facts.viewsPerMinute.toFixed(1),
    countWords(facts.readers),
    lastFailure === null ? '–' : `${escapeHtml(lastFailure.detail)}, again in ${durationWords(lastFailure.retryInMs)}`,
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}
