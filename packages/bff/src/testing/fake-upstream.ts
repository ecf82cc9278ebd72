import { type ReadPulse, type ReadSource, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import type { Clock } from '../lib/clock.ts';
import type { HostName } from '../upstream/hosts.ts';
import { ApiKey } from '../lib/api-key.ts';
import type { CallFailure } from '../upstream/classify-response.ts';
import type { UpstreamOptions } from '../upstream/upstream.ts';
import { elapsed } from './virtual-clock.ts';

/** A call as the upstream saw it. */
export interface SeenCall {
  readonly at: number;
  readonly host: HostName;
  /** A source id, or `sources`. */
  readonly about: string;
  /** The account whose key the call used. */
  readonly account: string | undefined;
  /** When a good answer from the service itself arrived. */
  answeredAt?: number;
}

/** An intermediary responds instead of the service. A body that is text is sent as HTML, and any other body as JSON. */
export interface ForeignAnswer {
  readonly kind: 'foreign';
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a call fails. `otherKeyAtHand`: the key has been replaced in the meantime. */
export type FakeFailure =
  | (Exclude<CallFailure, { kind: 'intermediary-error' }> & { readonly otherKeyAtHand?: boolean })
  | ForeignAnswer
  | 'hangs';

/** The service behind `fetch`, in this process and on a test's clock. The test controls its behavior. */
export interface FakeUpstream {
  readonly calls: SeenCall[];
  readonly fetch: typeof globalThis.fetch;
  /** The key that the upstream accepts. */
  readonly key: UpstreamOptions['key'];
  /** How long an answer takes, in ms. */
  latencyMs: number;
  /** Decides which call fails, and how. Undefined lets the call succeed. */
  failure: (call: SeenCall) => FakeFailure | undefined;
  rate: (call: SeenCall) => RateLimitHeaders | undefined;
  sources: ReadSource[];
  /** The number of unreadable rows in the list. */
  unreadableRows: number;
  pulses: Map<string, ReadPulse>;
  /** The account in the answers. Undefined if answers don't name an account. */
  account: string | undefined;
  /** The name of the key in use. */
  keyName: string;
  callsAbout(about: string): number;
}

/** The base addresses of the hosts. */
export const BASES: Readonly<Record<HostName, string>> = { main: 'https://main.test', alt: 'https://alt.test' };

/** A source row of the list. */
export function rowOf(id: string, fields: Partial<ReadSource> = {}): ReadSource {
  return { ...readSourceSchema.parse(activeSource), id, ...fields };
}

/** A pulse of a source. */
export function pulseOf(sourceId: string, jobRunId = 'run_1', fields: Partial<ReadPulse> = {}): ReadPulse {
  return { ...readPulseSchema.parse(fullPulse), sourceId, jobRunId, ...fields };
}

/** A key whose value is its name. */
export class NamedKey extends ApiKey {
  override get name(): string {
    return this.reveal();
  }
}

/** Makes an upstream that knows `sourceIds`, each with a pulse. */
export function createFakeUpstream(clock: Clock, sourceIds: readonly string[]): FakeUpstream {
  let hasOtherKey = false;
  const fake: FakeUpstream = {
    calls: [],
    latencyMs: 100,
    failure: () => undefined,
    rate: () => undefined,
    sources: sourceIds.map((id) => rowOf(id)),
    unreadableRows: 0,
    pulses: new Map(sourceIds.map((id) => [id, pulseOf(id)])),
    account: 'account A',
    keyName: 'key 1',
    callsAbout: (about) => fake.calls.filter((call) => call.about === about).length,
    key: { current: () => new NamedKey(fake.keyName), accepted() {}, refused: async () => hasOtherKey },
    fetch: async (input, init) => {
      const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
      const about = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(pathname)?.[1] ?? 'sources';
      const host = origin === BASES.alt ? 'alt' : 'main';
      const call: SeenCall = { at: clock.now(), host, about, account: fake.account };
      fake.calls.push(call);
      const failure = fake.failure(call);
      const response = respond(call);
      const answered = failure === 'hangs' ? new Promise<never>(() => {}) : elapsed(clock, fake.latencyMs);
      await Promise.race([answered, abortionOf(init?.signal)]);
      if (failure && failure !== 'hangs') {
        hasOtherKey = 'otherKeyAtHand' in failure;
        return failedResponse(failure, rateHeaders(clock, fake.rate(call)));
      }
      if (response.ok) call.answeredAt = clock.now();
      return response;
    },
  };

  function respond(call: SeenCall): Response {
    const { about, account } = call;
    const headers = rateHeaders(clock, fake.rate(call));
    const meta = account === undefined ? undefined : { account: { id: account } };
    if (about === 'sources') {
      const unreadable = Array.from({ length: fake.unreadableRows }, () => ({ id: '../x' }));
      return json(200, { meta, sources: [...fake.sources, ...unreadable] }, headers);
    }
    const pulse = fake.pulses.get(about);
    return pulse ? json(200, { meta, pulse }, headers) : json(404, { success: false, error: 'No pulse' }, headers);
  }

  return fake;
}

/** The response of a failing service, or of an intermediary in front of it. */
function failedResponse(failure: Exclude<FakeFailure, 'hangs'>, headers: Record<string, string>): Response {
  switch (failure.kind) {
    case 'unreachable':
    case 'timed-out':
      throw new TypeError('fetch failed');
    case 'rate-limited': {
      const retryAfter = failure.retryAfterMs !== undefined && { 'Retry-After': String(failure.retryAfterMs / 1_000) };
      return json(429, { success: false, error: 'Rate limit exceeded' }, { ...headers, ...retryAfter });
    }
    case 'foreign': {
      const { status, body } = failure;
      const all = { ...headers, ...failure.headers };
      if (typeof body !== 'string') return json(status, body, all);
      return new Response(body, { status, headers: { 'Content-Type': 'text/html', ...all } });
    }
    case 'invalid':
      return json(200, {}, headers);
    default:
      return json(failure.status, { success: false, error: 'No' }, headers);
  }
}

function rateHeaders(clock: Clock, rate: RateLimitHeaders | undefined): Record<string, string> {
  if (!rate) return {};
  const seconds = Math.floor(clock.wallNow() / 1_000);
  const said = [
    ['X-RateLimit-Limit', rate.limit],
    ['X-RateLimit-Remaining', rate.remaining],
    ['X-RateLimit-Reset', rate.resetInMs === undefined ? undefined : seconds + rate.resetInMs / 1_000],
  ];
  const headers = said.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return { Date: new Date(seconds * 1_000).toUTCString(), ...Object.fromEntries(headers) };
}

function json(status: number, body: unknown, headers: Record<string, string>): Response {
  return Response.json(body, { status, headers });
}

function abortionOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')), { once: true }),
  );
}
