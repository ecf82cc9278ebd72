import { LIST_SIZE, RATE_LIMIT_HEADERS, SPEC_ERRORS } from '@pulse-card/contract';
import type { ChangingWorld } from './changing-world.ts';
import type { WindowState } from './exact-window.ts';
import type { Fault } from './fault.ts';

/** A status, headers and a body, not yet sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What decides an answer. */
export interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const PULSE_PATH = /^\/v1\/sources\/([^/]+)\/pulse$/;

/** The answer of the spec: window, then key, then data. */
export function specAnswer(asked: Asked, window: WindowState, keys: ReadonlySet<string>, world: ChangingWorld): Answer {
  const headers = windowHeaders(window, asked.now);
  if (!window.granted) return refusal(429, 'Too many requests', headers);
  if (asked.key === undefined) return refusal(401, SPEC_ERRORS.authenticationRequired, headers);
  if (!keys.has(asked.key)) return refusal(401, SPEC_ERRORS.invalidKey, headers);
  const data = dataFor(asked, world);
  if (data === undefined) return refusal(404, SPEC_ERRORS.noPulse, headers);
  const meta = { account: { id: 'acc_1', email: 'owner@acme.test' }, requestedAt: new Date(asked.now).toISOString() };
  return { status: 200, headers, body: JSON.stringify({ meta, ...data }) };
}

/** What a host answers under a fault that answers at all, or undefined where the spec's answer stands. */
export function faultAnswer(fault: Fault, window: WindowState, now: number): Answer | undefined {
  const headers = windowHeaders(window, now);
  if (fault.kind === 'status') return refusal(fault.status, 'Something went wrong', headers);
  if (fault.kind === 'unauthorized') return refusal(401, SPEC_ERRORS.invalidKey, headers);
  if (fault.kind === 'limited') return refusal(429, 'Too many requests', limitedHeaders(fault.untilMs));
  if (fault.kind === 'redirect')
    return { ...refusal(302, 'Moved', headers), headers: { ...headers, location: fault.to } };
  return undefined;
}

function dataFor({ path, now }: Asked, world: ChangingWorld): object | undefined {
  if (path === '/v1/sources') return { sources: world.sources(now).slice(0, LIST_SIZE) };
  const id = PULSE_PATH.exec(path)?.[1];
  const pulse = id === undefined ? undefined : world.pulseOf(decodeURIComponent(id), now);
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

function limitedHeaders(untilMs: number | undefined): Answer['headers'] {
  if (untilMs === undefined) return {};
  return {
    [RATE_LIMIT_HEADERS.limit]: '60',
    [RATE_LIMIT_HEADERS.remaining]: '0',
    [RATE_LIMIT_HEADERS.reset]: String(Math.ceil(untilMs / 1000)),
  };
}
