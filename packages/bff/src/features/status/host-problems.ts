import type { CallFailure } from '../../upstream/classify-response.ts';
import { durationWords, type ProblemWords } from './problem-words.ts';
import type { BffState } from './bff-state.ts';

type Hosts = BffState['hosts'];

/** Returns whether a host answered its last call. */
export function isAnswering(hosts: Hosts): boolean {
  return hosts.some(({ state }) => state === 'closed');
}

/** Returns whether all hosts get only trial calls. */
export function isDown(hosts: Hosts): boolean {
  return hosts.every(({ state }) => state === 'open' || state === 'half-open');
}

/**
 * The problem if no host of the service returns a usable answer. The problem names what the host sent instead, and what
 * to do.
 */
export function serviceDown({ at, hosts, chartsLastMs }: BffState): ProblemWords | undefined {
  if (!isDown(hosts)) return undefined;
  const answeredAt = Math.max(
    ...hosts.map(({ lastAnswerAt }) => (lastAnswerAt === null ? 0 : Date.parse(lastAnswerAt))),
  );
  const hasAnswered = answeredAt > 0;
  const since = hasAnswered
    ? `for ${durationWords(Math.max(0, Date.parse(at) - answeredAt))}`
    : 'since this server started';
  const { failure } = hosts.find(({ preferred }) => preferred) ?? hosts[0] ?? { failure: null };
  const [outcome, rest] = chartsLastMs > 0 ? ['keep the last charts', `${lasts(chartsLastMs)} `] : ['get an error', ''];
  const [what, advice] = outage(failure, hasAnswered);
  return [`${what} ${since}. Readers ${outcome}.`, `${rest}${advice}`, 'down'];
}

/** The problem if one host fails while the other one answers. */
export function oneHostDown({ hosts }: BffState): ProblemWords | undefined {
  const down = hosts.find(({ state }) => state === 'open' || state === 'half-open');
  if (down === undefined || !isAnswering(hosts)) return undefined;
  const [name, other] = down.host === 'main' ? ['main', 'second'] : ['second', 'main'];
  return [
    `The ${name} host fails: it ${failureWords(down.failure)}. The ${other} host answers, so readers notice nothing.`,
    `The ${name} host is retried automatically. If the problem persists, report it to the operator of the service.`,
  ];
}

/** The problem if the last call failed, but no host is down. */
export function lastCallFailed({ hosts, chartsLastMs }: BffState): ProblemWords | undefined {
  if (isAnswering(hosts) || isDown(hosts)) return undefined;
  const failed = hosts.find(({ failure }) => failure !== null);
  return [
    `The last call to the service failed: it ${failureWords(failed?.failure ?? null)}.`,
    `The call is retried automatically. ${lasts(chartsLastMs)}`,
  ];
}

/** What a host sent instead of an answer, as the end of a sentence. */
export function failureWords(failure: CallFailure | null): string {
  switch (failure?.kind) {
    case 'key-refused':
    case 'server-error':
      return `returned ${failure.status}`;
    case 'rate-limited':
      return 'returned 429';
    case 'intermediary-error':
      return `returned ${failure.status}, but the response is not from the service`;
    case 'invalid':
      return `returned ${INVALID[failure.reason] ?? 'something else'}`;
    case 'timed-out':
      return 'did not answer in time';
    case 'unreachable':
      return `could not be reached (${failure.layer ?? 'connection'})`;
    default:
      return 'did not answer';
  }
}

/** Describes an invalid answer, based on the reason that `classifyResponse` returns. */
const INVALID: Readonly<Record<string, string>> = {
  'content type': 'a page that is not JSON',
  'not JSON': 'broken JSON',
  schema: 'JSON in a different form',
  redirect: 'a redirect',
  status: 'an unexpected status',
  'too long': 'a body that is too long',
};

/** An outage's advice, and the part of its headline before the duration. */
function outage(failure: CallFailure | null, hasAnswered: boolean): readonly [what: string, advice: string] {
  switch (failure?.kind) {
    case 'server-error':
      return [
        `The service has answered with a server error (${failure.status})`,
        'Look at the service’s own status page. If the problem persists, report it to the operator of the service.',
      ];
    case 'intermediary-error':
      return [
        `Something other than the service has answered its calls with ${failure.status}`,
        'Check PULSE_BASE_URL, and any proxy, gateway, or firewall between this server and the service.',
      ];
    case 'invalid':
      return [
        `The server at the service’s address has been returning ${INVALID[failure.reason] ?? 'something else'}`,
        'Check PULSE_BASE_URL, which must not contain /v1. A login page, a maintenance page, or a proxy may answer at this address.',
      ];
    default: {
      const first = hasAnswered ? 'Look at the service’s own status page' : 'Look at PULSE_BASE_URL';
      return [
        'The service has not answered',
        `${first}, then check the connection from this server to the service: ${wayTo(failure)}.`,
      ];
    }
  }
}

/** What to check between the BFF and a host that didn't answer. */
function wayTo(failure: CallFailure | null): string {
  if (failure?.kind !== 'unreachable') return 'proxies and firewalls';
  if (failure.layer === 'DNS') return 'its host name can’t be looked up (DNS)';
  if (failure.layer === 'TLS') return 'a TLS connection cannot be established, so check the host’s certificate';
  if (failure.layer === 'plain HTTP') return 'its http: address is public, so use https:';
  return 'no connection can be made, so check proxies and firewalls';
}

/** How long the last charts can still be shown. */
export function lasts(chartsLastMs: number): string {
  if (chartsLastMs <= 0) return 'Until then, readers get an error.';
  return `The last charts can be shown for another ${durationWords(chartsLastMs)}.`;
}
