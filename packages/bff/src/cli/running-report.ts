import { expiryWords } from '../features/alerts/key-expiry.ts';
import { printable } from '../lib/printable.ts';
import { keyRefusal } from '../features/status/operator-problems.ts';
import type { CallFailure } from '../upstream/classify-response.ts';
import { expiryUnknown, failureWords, HOST_VARIABLES, originLines } from './check.ts';
import type { RunningBff } from './running-bff.ts';

/** A running BFF's report about its key, its sources, and its hosts, one line each. */
export function runningLines({ url, status }: RunningBff): string[] {
  const { version, keyExpiry, budget, hosts } = status;
  const left = Math.max(0, budget.limit - budget.spent - budget.others);
  const lines = [
    `BFF: ${url} (version ${version}), which uses its own variables, not this shell’s`,
    `Key: ${keyWords(status.key)}`,
    keyExpiry === null ? expiryUnknown : `The key expires ${expiryWords(keyExpiry)}`,
    ...sourceLines(status),
    `Rate window: ${left} of ${budget.limit} calls left`,
    ...hosts.map(hostLine),
  ];
  return lines.map(printable);
}

/** The same report as data, for `--json`. */
export function runningFacts({ url, status }: RunningBff): object {
  const { version, key, keyExpiry, sources, hosts } = status;
  return { url, version, key, keyExpiry, sources, hosts };
}

/** The report of `pulse-bff check` on a running BFF. `works`: whether the service accepts the BFF's key. */
export function runningReport(running: RunningBff, page?: string): { works: boolean; lines: readonly string[] } {
  const { settings, status } = running;
  const works = status.key.state === 'accepted';
  const problems = status.problems.map(({ headline, advice }) => `Problem: ${headline} ${advice}`);
  const lines = [...runningLines(running), ...originLines(settings, page), ...problems];
  return { works, lines: [...lines, ...(works ? ['The key works.'] : [])].map(printable) };
}

function keyWords({ state, missingScope }: RunningBff['status']['key']): string {
  if (state === 'accepted') return 'the service accepts it';
  return state === 'refused' ? keyRefusal(missingScope).join(' ') : 'the service has not answered a call with it yet';
}

function sourceLines({ list, sources, unreadableRows }: RunningBff['status']): string[] {
  if (list.freshness === 'never-answered' && sources.length === 0) return ['Sources: not known yet'];
  const unread = unreadableRows === 0 ? '' : `, and ${unreadableRows} on the list that cannot be read`;
  const words = sources.map(({ status }) => status ?? 'not listed');
  const width = Math.max(...words.map(({ length }) => length));
  const line = ({ sourceId, name, provider, status }: (typeof sources)[number]): string =>
    ['', (status ?? 'not listed').padEnd(width), sourceId, provider, name].filter((part) => part !== null).join('  ');
  return [`Sources: ${sources.length || 'none'}${unread}`, ...sources.map(line)];
}

function hostLine({ host, state, lastAnswerAt, failure }: RunningBff['status']['hosts'][number]): string {
  const failed = failure === null ? 'does not answer' : failureWords(failure as unknown as CallFailure, host);
  const isDown = state === 'open' || state === 'half-open' || lastAnswerAt === null;
  const answers = failure === null ? 'answers' : `answers, but the last call failed: it ${failed}`;
  const words = isDown ? failed : answers;
  return `${HOST_VARIABLES[host]}: ${lastAnswerAt === null && failure === null ? 'not asked yet' : words}`;
}
