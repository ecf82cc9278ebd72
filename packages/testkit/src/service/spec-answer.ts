import { LIST_SIZE, type Pulse, RATE_LIMIT_HEADERS, type Source, SPEC_ERRORS } from '@pulse-card/contract';
import type { KeyRights } from './account.ts';
import type { WindowState } from './exact-window.ts';
import { type Fault, WELL } from './fault.ts';

/** A status, headers, and a body that haven't been sent yet. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The facts that determine a response. */
export interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const PULSE_PATH = /^\/v1\/sources\/([^/]+)\/pulse$/;

/** An account's sources and pulses. */
interface Content {
  sources(now: number): Source[];
  pulseOf(id: string, now: number): Pulse | undefined;
}

/** The service that responds: its keys and its data. */
export interface ServiceState {
  readonly keys: ReadonlyMap<string, KeyRights>;
  readonly content: Content;
  readonly account: { readonly id: string; readonly email: string };
}

/** The response according to the spec. The window is checked first, then the key, and then the data. */
export function specAnswer(
  asked: Asked,
  window: WindowState,
  { keys, content, account }: ServiceState,
  fault: Fault = WELL,
): Answer {
  const headers = windowHeaders(window, asked.now);
  if (!window.granted) return refusal(429, 'Too many requests', headers);
  if (asked.key === undefined) return refusal(401, SPEC_ERRORS.authenticationRequired, headers);
  const rights = keys.get(asked.key);
  if (rights === undefined) return refusal(401, SPEC_ERRORS.invalidKey, headers);
  if (!(asked.path === '/v1/sources' ? rights.list : rights.pulses)) return refusal(403, 'Insufficient scope', headers);
  const data = dataFor(asked, content, fault);
  if (data === undefined) return refusal(404, SPEC_ERRORS.noPulse, headers);
  const shown = fault.kind === 'other-account' ? { ...account, id: `${account.id}_other` } : account;
  const meta = { account: shown, requestedAt: new Date(asked.now).toISOString() };
  return { status: 200, headers, body: JSON.stringify({ meta, ...data }) };
}

/** A failing host's response. Undefined if the failure doesn't change the spec's response. */
export function faultAnswer(fault: Fault, window: WindowState, now: number): Answer | undefined {
  const headers = windowHeaders(window, now);
  if (fault.kind === 'status') {
    const { body, headers: extra } = fault;
    const answer = refusal(fault.status, 'Something went wrong', { ...headers, ...extra });
    return body === undefined ? answer : { ...answer, body };
  }
  if (fault.kind === 'gateway')
    return { status: fault.status, headers: gatewayHeaders(fault.limit), body: GATEWAY_PAGE };
  if (fault.kind === 'foreign-404') return foreign404(fault.by);
  if (fault.kind === 'limited') return refusal(429, 'Too many requests', limitedHeaders(fault));
  return undefined;
}

const GATEWAY_PAGE = '<!doctype html><title>Bad gateway</title>';

/** A gateway's headers about its own limits. They have the same names as the service's headers. */
function gatewayHeaders(limit: string): Answer['headers'] {
  return {
    'content-type': 'text/html',
    [RATE_LIMIT_HEADERS.limit]: limit,
    [RATE_LIMIT_HEADERS.remaining]: '0',
    [RATE_LIMIT_HEADERS.reset]: '4000000000',
  };
}

/** The responses that nginx, Fastify, and Spring return for an unknown path. */
function foreign404(by: 'nginx' | 'fastify' | 'spring'): Answer {
  const responses = {
    nginx: '<html><head><title>404 Not Found</title></head></html>',
    fastify: JSON.stringify({ message: 'Route GET:/v1/sources not found', error: 'Not Found', statusCode: 404 }),
    spring: JSON.stringify({
      timestamp: '2026-05-08T09:00:00.000+00:00',
      status: 404,
      error: 'Not Found',
      path: '/v1',
    }),
  };
  return { status: 404, headers: by === 'nginx' ? { 'content-type': 'text/html' } : {}, body: responses[by] };
}

/** Rows that can't be read. */
const ODD_ROWS = [{ id: '../../etc/passwd' }, null, 7, { id: 'src 1', name: 'Two words' }];

function dataFor({ path, now }: Asked, content: Content, fault: Fault): object | undefined {
  if (path === '/v1/sources') {
    const rows = content.sources(now).slice(0, LIST_SIZE);
    return { sources: fault.kind === 'odd-rows' ? [...ODD_ROWS, ...rows] : rows };
  }
  const id = PULSE_PATH.exec(path)?.[1];
  const pulse = id === undefined ? undefined : content.pulseOf(decodeURIComponent(id), now);
  return pulse && { pulse };
}

function refusal(status: number, error: string, headers: Answer['headers']): Answer {
  return { status, headers, body: JSON.stringify({ success: false, error }) };
}

function windowHeaders({ limit, remaining, resetInMs }: WindowState, now: number): Answer['headers'] {
  return {
    [RATE_LIMIT_HEADERS.limit]: String(limit),
    [RATE_LIMIT_HEADERS.remaining]: String(remaining),
    [RATE_LIMIT_HEADERS.reset]: String(Math.ceil((now + resetInMs) / 1000)),
  };
}

function limitedHeaders({ untilMs, retryAfterSeconds }: Extract<Fault, { kind: 'limited' }>): Answer['headers'] {
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (untilMs === undefined) return retry;
  return {
    ...retry,
    [RATE_LIMIT_HEADERS.limit]: '60',
    [RATE_LIMIT_HEADERS.remaining]: '0',
    [RATE_LIMIT_HEADERS.reset]: String(Math.ceil(untilMs / 1000)),
  };
}
