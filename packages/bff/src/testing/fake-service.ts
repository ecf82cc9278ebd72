import { type ReadPulse, type ReadSource, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import { elapsed } from '../lib/clock.ts';
import { type Outgoing, type OutgoingRequest, ResetError } from '../lib/outgoing.ts';
import type { HostName } from '../upstream/failure.ts';
import { worstWindow } from './budget-run.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A call as the service saw it. */
export interface SeenCall {
  readonly at: number;
  readonly host: HostName;
  /** A source ID, or `list`. */
  readonly about: string;
  readonly key: string;
  readonly usesNewConnection: boolean;
}

/**
 * How a call ends if it doesn't get the usual response: with a status and a body, or with the code of a network error.
 */
export type Ending =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly error: string }
  | 'hang';

/** A key's permissions. */
export interface FakeKey {
  account: string | undefined;
  isRevoked?: boolean;
  /** Operations that return 403. */
  forbidden?: ReadonlySet<'sources' | 'pulse'>;
}

/** The URLs of the two hosts. */
export const BASES: Readonly<Record<HostName, string>> = { main: 'https://main.test', alt: 'https://alt.test' };

/** The spec's error body. */
export const SPEC_ERROR = { success: false, error: 'No' };

export const KEY_A = 'key-of-account-a';
const WINDOW_MS = 60_000;

/** An entry in the list. */
export function rowOf(id: string, fields: Partial<ReadSource> = {}): ReadSource {
  return { ...readSourceSchema.parse(activeSource), id, ...fields };
}

/** A source's pulse. */
export function pulseOf(sourceId: string, jobRunId = 'run_1', fields: Partial<ReadPulse> = {}): ReadPulse {
  return { ...readPulseSchema.parse(fullPulse), sourceId, jobRunId, ...fields };
}

/** The service behind `Outgoing`, on a test's clock. It counts calls in a sliding window, as the spec requires. */
export class FakeService {
  readonly calls: SeenCall[] = [];
  /** The times at which calls arrived. */
  readonly arrivals: number[] = [];
  readonly keys = new Map<string, FakeKey>([[KEY_A, { account: 'account A' }]]);
  readonly pulses: Map<string, ReadPulse>;
  rows: ReadSource[];
  latencyMs = 100;
  limit = 60;
  /** Whether responses include rate-limit headers. */
  hasHeaders = true;
  /** Decides how a call ends. Undefined lets it succeed. */
  ending: (call: SeenCall) => Ending | undefined = () => undefined;
  readonly #clock: VirtualClock;
  #hasAnswered = false;

  constructor(clock: VirtualClock, ids: readonly string[]) {
    this.#clock = clock;
    this.rows = ids.map((id) => rowOf(id));
    this.pulses = new Map(ids.map((id) => [id, pulseOf(id)]));
  }

  callsAbout(about: string): number {
    return this.calls.filter((call) => call.about === about).length;
  }

  /** The maximum number of arrivals in any minute. */
  get worstMinute(): number {
    return worstWindow(this.arrivals, WINDOW_MS);
  }

  readonly outgoing: Outgoing = {
    fetch: (url, request) => this.#answer(url, request),
    close: () => {},
  };

  async #answer(url: URL, { headers, signal, usesNewConnection = false }: OutgoingRequest): Promise<Response> {
    const about = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(url.pathname)?.[1] ?? 'list';
    const host = url.origin === BASES.alt ? 'alt' : 'main';
    const key = new Headers(headers).get('x-api-key') ?? '';
    const call = { at: this.#clock.now(), host, about, key, usesNewConnection } as const;
    this.calls.push(call);
    this.arrivals.push(call.at + this.latencyMs / 2);
    const ending = this.ending(call) ?? this.#usual(call);
    const rate = this.#rate(call.at + this.latencyMs / 2);
    const answered = ending === 'hang' ? new Promise<never>(() => {}) : elapsed(this.#clock, this.latencyMs);
    await Promise.race([answered, abortionOf(signal)]);
    if (ending === 'hang') throw new Error('never');
    const isKept = !usesNewConnection && this.#hasAnswered;
    if ('error' in ending && ending.error === 'ECONNRESET' && isKept) throw new ResetError();
    this.#hasAnswered = !('error' in ending);
    if ('error' in ending)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('down'), { code: ending.error }) });
    const { status, body = SPEC_ERROR, headers: own } = ending;
    return typeof body === 'string'
      ? new Response(body, { status, headers: { 'Content-Type': 'text/html', ...own } })
      : Response.json(body, { status, headers: { ...rate, ...own } });
  }

  #usual({ about, key }: SeenCall): Exclude<Ending, 'hang'> {
    const { account, isRevoked = false, forbidden } = this.keys.get(key) ?? { account: undefined, isRevoked: true };
    if (this.#counted(this.#clock.now()) > this.limit) return { status: 429, body: SPEC_ERROR };
    if (isRevoked) return { status: 401, body: SPEC_ERROR };
    if (forbidden?.has(about === 'list' ? 'sources' : 'pulse')) return { status: 403, body: SPEC_ERROR };
    const meta = account === undefined ? {} : { account: { id: account, email: 'owner@acme.test' } };
    if (about === 'list') return { status: 200, body: { meta, sources: this.rows } };
    const pulse = this.pulses.get(about);
    return pulse ? { status: 200, body: { meta, pulse } } : { status: 404, body: SPEC_ERROR };
  }

  #counted(now: number): number {
    return this.arrivals.filter((at) => at > now - WINDOW_MS && at <= now + this.latencyMs).length;
  }

  #rate(now: number): Record<string, string> {
    if (!this.hasHeaders) return {};
    const counted = this.arrivals.filter((at) => at > now - WINDOW_MS && at <= now);
    const wall = this.#clock.wallNow();
    return {
      Date: new Date(wall).toUTCString(),
      'X-RateLimit-Limit': String(this.limit),
      'X-RateLimit-Remaining': String(Math.max(0, this.limit - counted.length)),
      'X-RateLimit-Reset': String(Math.ceil((wall + (counted[0] ?? now) + WINDOW_MS - now) / 1_000)),
    };
  }
}

function abortionOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true });
  });
}
