import type { StatusDocument } from '@pulse-card/bff';
import { html, type TemplateResult } from 'lit';
import { shortDuration, soonWords } from './format.ts';

type ClusterStatus = NonNullable<StatusDocument['redis']>;
type HostStatus = StatusDocument['hosts'][number];

/** A fact: its topic, its state, and its text. */
interface Fact {
  readonly term: string;
  readonly kind: 'good' | 'warning' | 'danger' | 'neutral';
  readonly words: string;
}

/** The states of the hosts, the key, and Redis. */
export function factsTemplate({ hosts, key, redis }: StatusDocument): TemplateResult {
  const facts = [...hosts.map(hostFact), keyFact(key), ...(redis === null ? [] : [redisFact(redis)])];
  return html`<dl class="facts">
    ${facts.map(
      ({ term, kind, words }) =>
        html`<div>
          <dt>${term}</dt>
          <dd><span class="dot ${kind}"></span>${words}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A host's state. Until the first response, it isn't known whether the host is healthy. */
export function hostFact({ host, state, preferred, openForMs, failure, lastAnswerAt }: HostStatus): Fact {
  const term = host === 'main' ? 'Main host' : 'Second host';
  if (state === 'closed' && lastAnswerAt === null) return { term, kind: 'neutral', words: 'not tried yet' };
  if (state === 'closed') return { term, kind: 'good', words: preferred ? 'healthy, in use' : 'healthy, on standby' };
  const what = failureWords(failure);
  if (state === 'degraded') return { term, kind: 'warning', words: `${what}, in the last call` };
  if (state === 'half-open') return { term, kind: 'warning', words: `${what}, trying again` };
  return { term, kind: 'danger', words: `${what}, next attempt ${soonWords(openForMs)}` };
}

/** Describes a host's failure: what the host sent instead of a valid response. */
export function failureWords(failure: HostStatus['failure']): string {
  switch (failure?.code) {
    case 'server_error':
      return `returns ${failure.status}`;
    case 'gateway':
      return `returns ${failure.status}, but the response isn’t from the service`;
    case 'not_found_everywhere':
      return 'returns 404 for everything';
    case 'redirect':
      return 'redirects';
    case 'invalid':
      return 'sends unreadable responses';
    case 'timeout':
      return 'too slow';
    case 'dns':
    case 'tls':
      return `not responding (${failure.code.toUpperCase()})`;
    case 'proxy':
      return 'not responding (proxy)';
    default:
      return 'not responding';
  }
}

function keyFact({ state, missingScope }: StatusDocument['key']): Fact {
  const term = 'Key';
  if (state === 'accepted') return { term, kind: 'good', words: 'accepted' };
  if (state === 'untried') return { term, kind: 'neutral', words: 'not tried yet' };
  return { term, kind: 'danger', words: missingScope === undefined ? 'rejected' : `lacks the scope ${missingScope}` };
}

function redisFact({ state, lostForMs }: ClusterStatus): Fact {
  const term = 'Redis';
  if (state === 'lost') return { term, kind: 'danger', words: `unreachable for ${shortDuration(lostForMs / 1_000)}` };
  return { term, kind: 'good', words: 'connected' };
}
