import type { KeyScope, ReadPulse, ReadSource } from '@pulse-card/contract';
import { originAdvice, OriginPolicy } from '../http/origins.ts';
import { expiryWords, keyExpiry, type KeyExpiryFacts } from '../features/alerts/key-expiry.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import { printable } from '../lib/printable.ts';
import type { ChartRefusal } from '../features/images/image-hosts.ts';
import { chartRefusalWords } from '../features/images/refused-charts.ts';
import { keyRefusal } from '../features/status/operator-problems.ts';
import type { HostName } from '../upstream/hosts.ts';
import type { CallReply, HostClient } from '../upstream/host-client.ts';
import type { CallFailure } from '../upstream/classify-response.ts';
import { listOperation, pulseOperation, type SourceRows } from '../upstream/subject.ts';

/** The result of a key check: lines for the operator, and whether the key works. */
export interface KeyCheck {
  readonly works: boolean;
  readonly lines: readonly string[];
}

/** The hosts of the service by name, as the operator configured them. */
export type Hosts = Readonly<Partial<Record<HostName, string>>>;

type KeyReply = CallReply<SourceRows>;

/** The variable that sets each host. */
export const HOST_VARIABLES: Readonly<Record<HostName, string>> = { main: 'PULSE_BASE_URL', alt: 'PULSE_ALT_BASE_URL' };

/**
 * Checks the key. The check requests the list from each host (spec, "What the service does", 7). It also requests a
 * pulse, if one exists, because pulses need a different scope. Only the lines of this report contain the account's
 * email. None of these lines contains the key.
 */
export async function checkKey(
  hostClient: HostClient,
  hosts: Hosts,
  chartRefusalOf: (pulse: ReadPulse) => ChartRefusal | undefined = () => undefined,
): Promise<KeyCheck> {
  const replies: KeyReply[] = [];
  for (const host of hostNamesOf(hosts)) replies.push(await hostClient.call(host, listOperation));
  const good = replies.find(({ outcome }) => outcome.ok);
  const hostLines = replies.map((reply) => hostLine(reply, hosts));
  if (!good?.outcome.ok) return resultOf(false, [...hostLines, ...replies.slice(0, 1).map(adviceFor)]);
  if (good.account === undefined && good.rate?.limit === undefined)
    return resultOf(false, [...hostLines, NOT_THE_SERVICE]);
  const { refusal, pulse } = await readOnePulse(hostClient, good.host, good.outcome.value.rows);
  const chart = pulse ? chartRefusalOf(pulse) : undefined;
  const chartLines = chart === undefined ? [] : [chartRefusalWords(chart, 1).join(' ')];
  const lines = [
    accountLine(good.account),
    ...sourceLines(good.outcome.value),
    windowLine(good.rate),
    ...hostLines,
    ...chartLines,
  ];
  return resultOf(refusal === undefined, [...lines, refusal ?? 'The key works.']);
}

/**
 * The advice for an address whose response lists sources but has no account or rate window. The service always sends
 * both.
 */
const NOT_THE_SERVICE =
  'The key was not checked: the response from this address has no account or rate window, so it is probably a BFF. Set PULSE_BASE_URL to the address of the service.';

/** Most of the text comes from the service, and control characters could change how the terminal behaves. */
function resultOf(works: boolean, lines: readonly string[]): KeyCheck {
  return { works, lines: lines.map(printable) };
}

/**
 * Lists the allowed origins. Says whether the origin of `page` is allowed, and what to change if it isn't. Throws
 * `ConfigError` if `page` is not a valid address.
 */
export function originLines({ allowedOrigins, publicUrl }: OriginSettings, page?: string): string[] {
  const rule = new OriginPolicy(allowedOrigins, publicUrl);
  const listed = allowedOrigins === '*' ? 'all' : allowedOrigins.join(', ') || 'only';
  const own = `the BFF's own: ${rule.own.join(', ')}`;
  const line = allowedOrigins === '*' ? listed : `${listed}${allowedOrigins.length > 0 ? ', and' : ''} ${own}`;
  return [`Allowed origins: ${line}`, ...(page === undefined ? [] : pageLines(rule, page, allowedOrigins))];
}

/** Says when the key expires. If the date is unknown, names the variable to set. */
export function expiryLines(facts: KeyExpiryFacts, nowMs: number): string[] {
  const expiry = keyExpiry(facts, nowMs);
  return [expiry === undefined ? expiryUnknown : `The key expires ${expiryWords(expiry)}`];
}

/** The advice for a key whose expiry is unknown. */
export const expiryUnknown =
  'The key’s expiry is unknown: set PULSE_API_KEY_EXPIRES to the day that the dashboard shows';

type OriginSettings = Pick<Config, 'allowedOrigins' | 'publicUrl'>;

function pageLines(rule: OriginPolicy, page: string, allowed: Config['allowedOrigins']): string[] {
  const url = /^https?:\/\//i.test(page) && URL.canParse(page) ? new URL(page) : undefined;
  if (url === undefined)
    throw new ConfigError(['--origin: must be an address such as https://www.example.com, with its scheme']);
  if (rule.allows(url.origin)) return [`${url.origin} is allowed`];
  return [originAdvice([url.origin]), `Change: ${lineAllowing(url.origin, allowed)}`];
}

/** The configuration line that allows `origin` in addition to the origins that are already allowed. */
function lineAllowing(origin: string, allowed: '*' | readonly string[]): string {
  return `PULSE_ALLOWED_ORIGINS=${[...(allowed === '*' ? [] : allowed), origin].join(',')}`;
}

function hostNamesOf(hosts: Hosts): HostName[] {
  return (['main', 'alt'] as const).filter((host) => hosts[host] !== undefined);
}

/** Reads one pulse. `refusal` is the reason why pulses can't be read. The most likely reason is a missing scope. */
async function readOnePulse(
  hostClient: HostClient,
  host: HostName,
  [source]: readonly ReadSource[],
): Promise<{ readonly refusal?: string; readonly pulse?: ReadPulse | null }> {
  if (source === undefined) return {};
  const { outcome } = await hostClient.call(host, pulseOperation(source.id));
  if (outcome.ok) return { pulse: outcome.value };
  return outcome.failure.kind === 'key-refused' ? { refusal: keyAdvice(outcome.failure.status, 'pulses:read') } : {};
}

function accountLine(account: KeyReply['account']): string {
  return account === undefined
    ? 'Account: not reported by the service'
    : `Account: ${account.email || 'no email'} (${account.id})`;
}

/** Stands for a status or provider that can't be read. */
const UNREADABLE = 'unreadable';

function sourceLines({ rows, unreadableRows }: SourceRows): string[] {
  if (rows.length === 0) return ['Sources: none'];
  const width = Math.max(...rows.map(({ status }) => (status ?? UNREADABLE).length));
  const line = ({ id, status, provider, name }: ReadSource): string =>
    `  ${(status ?? UNREADABLE).padEnd(width)}  ${id}  ${provider ?? UNREADABLE}${name === null ? '' : `  ${name}`}`;
  const unread =
    unreadableRows === 0 ? '' : `, and ${unreadableRows} ${unreadableRows === 1 ? 'row' : 'rows'} that cannot be read`;
  return [`Sources: ${rows.length}${unread}`, ...rows.map(line)];
}

function windowLine(rate: RateLimitHeaders | undefined): string {
  if (rate?.limit === undefined) return 'Rate window: not reported by the service';
  const reset = rate.resetInMs === undefined ? '' : `, resets in ${Math.ceil(rate.resetInMs / 1_000)} s`;
  return `Rate window: ${rate.remaining ?? '?'} of ${rate.limit} calls left${reset}`;
}

function hostLine({ host, outcome }: KeyReply, hosts: Hosts): string {
  return `${HOST_VARIABLES[host]} ${hosts[host] ?? ''}: ${outcome.ok ? 'answered' : wordsFor(outcome.failure, host)[0]}`;
}

function adviceFor({ host, outcome }: KeyReply): string {
  return outcome.ok ? '' : wordsFor(outcome.failure, host)[1];
}

/** Why a call to a host failed, as text. */
export function failureWords(failure: CallFailure, host: HostName): string {
  return wordsFor(failure, host)[0];
}

/** Describes how the list request to a host ended, with advice. */
function wordsFor(failure: CallFailure, host: HostName): readonly [what: string, advice: string] {
  const isRight = `Is ${HOST_VARIABLES[host]} right, and is that host up and reachable from here?`;
  switch (failure.kind) {
    case 'key-refused':
      return [`returned ${failure.status}`, keyAdvice(failure.status, 'sources:read')];
    case 'rate-limited':
      return ['returned 429', 'All calls in this window have been used. Try again in a minute.'];
    case 'server-error':
      return [`returned ${failure.status}`, 'The service had an internal error: try again later.'];
    case 'intermediary-error':
      return [`returned ${failure.status}, but the response is from a proxy or gateway, not from the service`, isRight];
    case 'invalid':
      return [`returned something other than a list of sources (${failure.reason})`, isRight];
    case 'timed-out':
      return ['did not answer in time (connection)', isRight];
    default: {
      const layer = failure.layer ?? 'connection';
      return [`could not be reached (${layer})`, LAYER_ADVICE[layer](HOST_VARIABLES[host])];
    }
  }
}

const LAYER_ADVICE = {
  DNS: (variable: string) => `Is the host name in ${variable} right, and can this machine look it up (DNS)?`,
  TLS: (variable: string) =>
    `Is the certificate of the host in ${variable} valid, and does the host use TLS on that port?`,
  'plain HTTP': (variable: string) =>
    `${variable} must start with https:// because its address is public. PULSE_ALLOW_HTTP_UPSTREAM applies only to private addresses.`,
  connection: (variable: string) => `Is the port in ${variable} right, and is that host up and reachable from here?`,
} as const;

function keyAdvice(status: 401 | 403, scope: KeyScope): string {
  return keyRefusal(status === 403 ? scope : undefined).join(' ');
}
