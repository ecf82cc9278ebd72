import { fullPulse } from '@pulse-card/contract/examples';
import type { VirtualClock } from './virtual-clock.ts';

/** The spec's limit of the key. */
const LIMIT = 60;
const WINDOW_MS = 60_000;

/** How long an answer takes, in ms. */
const LATENCY_MS = 120;

/** How long a call that is never answered takes until the caller gives up, in ms. */
const DEADLINE_MS = 5_000;

/** What can go wrong with the service, or between it and the BFF. */
export const SERVICE_FAULTS = [
  'refuses-connections',
  'never-answers',
  'server-error',
  'limited',
  'foreign-limited',
  'gateway-error',
  'html-404',
  'fastify-404',
  'spring-404',
  'html-200',
  'firewall-403',
  'login-401',
  'odd-rows',
  'odd-headers',
  'one-source-fails',
  'one-source-is-odd',
] as const;

export type ServiceFault = (typeof SERVICE_FAULTS)[number];

/** What a gateway may write into rate headers that are none of the service's. */
const ODD_RATE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '4000000000' },
  { 'X-RateLimit-Limit': '0', 'X-RateLimit-Remaining': '0' },
  { 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '10' },
  { 'X-RateLimit-Limit': '60, 60', 'X-RateLimit-Remaining': 'none', 'X-RateLimit-Reset': '-1' },
  { 'X-RateLimit-Limit': '1e3', 'X-RateLimit-Remaining': '99999999999999999999' },
];

/** One call as the service saw it. */
export interface ServiceCall {
  readonly at: number;
  /** A source id, or `sources`. */
  readonly about: string;
  /** It got the service's own answer: 200 in the spec's shape, about what was asked for. */
  readonly isAnswered: boolean;
  /** The account of the key that it came with. */
  readonly account: string | undefined;
  /** When its answer was there. */
  answeredAt?: number;
}

export interface VirtualServiceOptions {
  readonly clock: VirtualClock;
  readonly sourceIds: readonly string[];
  /** The account of each key. */
  readonly accounts: Readonly<Record<string, string>>;
}

/**
 * The service on a test's clock, behind `fetch`: the spec with its sliding window, pulses that change every twenty seconds,
 * and whatever stands between it and the BFF. `fetch` of a process that is dead never settles.
 */
export class VirtualService {
  readonly calls: ServiceCall[] = [];
  readonly #options: VirtualServiceOptions;
  readonly #faults = new Map<ServiceFault, number>();
  #oddities = 0;

  constructor(options: VirtualServiceOptions) {
    this.#options = options;
  }

  /** Begins or ends a fault; the source that some faults are about is the first. */
  begin(fault: ServiceFault): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  end(fault: ServiceFault): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 1) - 1);
  }

  /** The run of a source that an account has at a moment. */
  static jobRunId(account: string, sourceId: string, at: number): string {
    return `${account}.${sourceId}.${Math.floor(at / 20_000)}`;
  }

  /** What a process fetches, for as long as it lives. */
  fetchOf(isAlive: () => boolean): typeof globalThis.fetch {
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const key = new Headers(init?.headers).get('X-API-Key') ?? '';
      const answered = this.#answer(url.pathname, key, init?.signal ?? undefined).then(
        (response) => () => response,
        (cause: unknown) => () => {
          throw cause;
        },
      );
      const settle = await answered;
      return isAlive() ? settle() : new Promise<Response>(() => {});
    };
  }

  async #answer(path: string, key: string, signal: AbortSignal | undefined): Promise<Response> {
    const { clock, accounts } = this.#options;
    const sourceId = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(path)?.[1];
    const at = clock.now();
    if (this.#has('refuses-connections')) throw new TypeError('fetch failed');
    const used = this.calls.filter((call) => at - call.at < WINDOW_MS).length + 1;
    const account = accounts[key];
    const faulty = this.#faulty(sourceId, at, used);
    const response = faulty === undefined ? this.#own(sourceId, account, at, used) : faulty;
    const isOdd = sourceId === this.#options.sourceIds[0] && this.#has('one-source-is-odd');
    const isAnswered = faulty === undefined && !isOdd && response?.status === 200;
    const call: ServiceCall = { at, about: sourceId ?? 'sources', isAnswered, account };
    this.calls.push(call);
    await this.#elapsed(response ? LATENCY_MS : DEADLINE_MS, signal);
    call.answeredAt = clock.now();
    if (!response) throw new DOMException('The operation timed out', 'TimeoutError');
    return response;
  }

  #elapsed(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.schedule(ms, resolve);
      signal?.addEventListener('abort', () => (cancel(), reject(new DOMException('Aborted', 'AbortError'))), {
        once: true,
      });
    });
  }

  #has(fault: ServiceFault): boolean {
    return (this.#faults.get(fault) ?? 0) > 0;
  }

  /** What a fault answers, if one does; null where no answer comes. */
  #faulty(sourceId: string | undefined, at: number, used: number): Response | null | undefined {
    const isFirst = sourceId === this.#options.sourceIds[0];
    const odd = ODD_RATE_HEADERS[this.#oddities++ % ODD_RATE_HEADERS.length] ?? {};
    if (this.#has('never-answers')) return null;
    if (this.#has('server-error')) return json(500, { success: false, error: 'Server error' }, rateHeaders(at, used));
    if (this.#has('limited'))
      return json(429, { success: false, error: 'Rate limit exceeded' }, rateHeaders(at, LIMIT));
    if (this.#has('foreign-limited')) return html(429, { 'Retry-After': '7', ...odd });
    if (this.#has('gateway-error')) return html(502, odd);
    if (this.#has('html-200')) return html(200, odd);
    if (this.#has('firewall-403')) return html(403, odd);
    if (this.#has('login-401')) return html(401, odd);
    if (this.#has('html-404')) return html(404, odd);
    if (this.#has('fastify-404'))
      return json(404, { statusCode: 404, error: 'Not Found', message: 'Route GET:/v1/sources not found' }, odd);
    if (this.#has('spring-404'))
      return json(
        404,
        { timestamp: '2026-05-08T09:00:00.000+00:00', status: 404, error: 'Not Found', path: '/v1' },
        odd,
      );
    if (isFirst && this.#has('one-source-fails'))
      return json(500, { success: false, error: 'Server error' }, rateHeaders(at, used));
    return undefined;
  }

  #own(sourceId: string | undefined, account: string | undefined, at: number, used: number): Response {
    const { sourceIds } = this.#options;
    const headers = this.#has('odd-headers') ? (ODD_RATE_HEADERS[this.#oddities % 5] ?? {}) : rateHeaders(at, used);
    if (used > LIMIT) return json(429, { success: false, error: 'Rate limit exceeded' }, rateHeaders(at, LIMIT));
    if (account === undefined) return json(401, { success: false, error: 'Invalid or expired API key' }, headers);
    const meta = { account: { id: account, email: `${account}@acme.test` }, requestedAt: new Date(at).toISOString() };
    if (sourceId === undefined) {
      const odd = this.#has('odd-rows') ? [{ id: '../../etc' }, null, 7, { ...rowOf('x'), id: 'ä ö' }] : [];
      return json(200, { meta, sources: [...odd, ...sourceIds.map(rowOf)] }, headers);
    }
    const isOdd = sourceId === sourceIds[0] && this.#has('one-source-is-odd');
    const jobRunId = VirtualService.jobRunId(account, sourceId, at);
    const pulse = { ...fullPulse, sourceId: isOdd ? 'src_other' : sourceId, jobRunId };
    return json(200, { meta, pulse }, headers);
  }
}

function rowOf(id: string) {
  return {
    id,
    name: `Revenue of ${id}`,
    provider: 'GOOGLE',
    status: 'ACTIVE',
    link: `https://app.acme.test/sources/${id}`,
    connectionCount: 1,
    organizationId: 'org_1',
    organizationName: 'Acme',
    organizationSlug: 'acme',
  };
}

function rateHeaders(at: number, used: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(LIMIT),
    'X-RateLimit-Remaining': String(Math.max(0, LIMIT - used)),
    'X-RateLimit-Reset': String(Math.ceil((at + WINDOW_MS) / 1_000)),
    Date: new Date(at).toUTCString(),
  };
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  });
}

function html(status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response('<!doctype html><title>Not here</title>', {
    status,
    headers: { 'Content-Type': 'text/html', ...headers },
  });
}
