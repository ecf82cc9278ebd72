import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import { type Random, randomFrom } from '../random.ts';
import { Account, type KeyRights } from './account.ts';
import type { WorldOptions } from './changing-world.ts';
import { ExactWindow } from './exact-window.ts';
import { type Fault, WELL } from './fault.ts';
import { Host } from './host.ts';
import { pngOf } from './png.ts';
import { type Answer, faultAnswer, specAnswer } from './spec-answer.ts';

/** The names of the service's two hosts. */
export const HOST_NAMES = ['A', 'B'] as const;

/** One of the service's hosts. */
export type HostName = (typeof HOST_NAMES)[number];

/** The calls that a failure affects: all, the list, every pulse, every chart, or one source's pulse. */
export type Target = 'all' | 'list' | 'pulse' | 'chart' | `pulse:${string}`;

/** A call or an attempted call that arrived. */
export interface Arrival {
  /** The time in nanoseconds, from a monotonic clock that all processes on the machine share. */
  readonly atNs: number;
  readonly host: HostName;
  /** The path, or undefined for a connection that was cut before it could send a request. */
  readonly path: string | undefined;
  /** The key that was sent. */
  readonly key: string | undefined;
  /** The response's status, or undefined if there was no response. */
  readonly status: number | undefined;
  readonly headers: Readonly<IncomingMessage['headers']>;
  /** The time at which the response was sent or the connection ended, in nanoseconds. Undefined until then. */
  answeredAtNs?: number;
}

/** The machine's monotonic clock, in nanoseconds. A JavaScript number is exact for the first hundred days of uptime. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

/** The key that is accepted initially. */
export const SERVICE_KEY = 'pk_fake_0123456789abcdef';

/** The account behind the key. No public response may contain it. */
export const SERVICE_ACCOUNT = { id: 'acc_1', email: 'owner@acme.test' };

/** The options for the fake service. */
export interface FakeServiceOptions extends WorldOptions {
  /** The number of calls that a key may make in a window. @default 60 */
  readonly limit?: number;
  /** @default 60000 */
  readonly windowMs?: number;
  /** The shortest and longest response time, in ms. @default 1 to 5 */
  readonly latencyMs?: readonly [min: number, max: number];
  /** The two hosts' ports. 0 picks a free port. @default 0 and 0 */
  readonly ports?: readonly [a: number, b: number];
  /** Whether the hosts use TLS with a self-signed certificate. @default false */
  readonly isSecure?: boolean;
  /** Whether requests for the first source's pulse always return 500. @default false */
  readonly hasBrokenSource?: boolean;
  /** The service's time, in ms since 1970. @default the machine's */
  readonly now?: () => number;
  /**
   * Whether the service's own first host serves the charts. @default false: their URLs point to a CDN that doesn't
   * exist
   */
  readonly hasCharts?: boolean;
}

/** What a test can do even if the fake service runs in another process. */
export interface FakeServiceRemote {
  readonly urls: Readonly<Record<HostName, string>>;
  readonly ids: readonly string[];
  /** Makes one or both hosts misbehave for these calls until `WELL` ends it. */
  fail(fault: Fault, toward?: { readonly host?: HostName; readonly target?: Target }): Promise<void>;
  arrivals(): Promise<readonly Arrival[]>;
  close(): Promise<void>;
}

/** A service that follows the spec, on two real ports that share one rate window. It records arrivals. */
export class FakeService implements FakeServiceRemote, AsyncDisposable {
  readonly account: Account;
  /** The accepted keys, with their permissions. All other keys are rejected with 401. */
  readonly keys = new Map<string, KeyRights>([[SERVICE_KEY, { list: true, pulses: true }]]);
  /** All arrivals except chart requests. */
  readonly calls: Arrival[] = [];
  /** The arrivals of chart requests. */
  readonly chartRequests: Arrival[] = [];
  /** Whether responses include rate headers. */
  hasRateHeaders = true;
  readonly #hosts: Readonly<Record<HostName, Host>>;
  readonly #faults = new Map<string, Fault>();
  readonly #window: ExactWindow;
  readonly #latencyMs: readonly [number, number];
  readonly #random: Random;
  readonly #now: () => number;

  private constructor(options: FakeServiceOptions) {
    const { limit = RATE_LIMIT, windowMs = RATE_WINDOW_MS, latencyMs = [1, 5], isSecure = false } = options;
    this.#hosts = {
      A: this.#host('A', { port: options.ports?.[0] ?? 0, isSecure }),
      B: this.#host('B', { port: options.ports?.[1] ?? 0, isSecure }),
    };
    this.account = new Account({ ...options, ...(options.hasCharts && { chartsUrl: () => this.urls.A }) });
    this.#window = new ExactWindow({ limit, windowMs });
    this.#latencyMs = latencyMs;
    this.#random = randomFrom(options.seed ?? 1);
    this.#now = options.now ?? Date.now;
    if (options.hasBrokenSource) this.#faults.set(`A pulse:${this.ids[0]}`, { kind: 'status', status: 500 });
    if (options.hasBrokenSource) this.#faults.set(`B pulse:${this.ids[0]}`, { kind: 'status', status: 500 });
  }

  /** Starts it on free ports. */
  static async start(options: FakeServiceOptions = {}): Promise<FakeService> {
    const service = new FakeService(options);
    await Promise.all(HOST_NAMES.map((name) => service.#hosts[name].open()));
    return service;
  }

  get urls(): Readonly<Record<HostName, string>> {
    return { A: this.#hosts.A.url, B: this.#hosts.B.url };
  }

  get url(): string {
    return this.urls.A;
  }

  get ids(): readonly string[] {
    return this.account.ids;
  }

  async fail(fault: Fault, { host, target = 'all' }: { host?: HostName; target?: Target } = {}): Promise<void> {
    const chosen = host === undefined ? HOST_NAMES : [host];
    for (const name of chosen) this.#faults.set(`${name} ${target}`, fault);
    if (target === 'all') await Promise.all(chosen.map((name) => this.#hosts[name].fail(fault)));
  }

  /** Ends all failures. */
  async recover(): Promise<void> {
    this.#faults.clear();
    await this.fail(WELL);
  }

  async arrivals(): Promise<readonly Arrival[]> {
    return [...this.calls];
  }

  /** The calls for the list, or for a source's pulse. */
  callsFor(what: 'list' | (string & {})): Arrival[] {
    return this.calls.filter(({ path }) => path === (what === 'list' ? '/v1/sources' : `/v1/sources/${what}/pulse`));
  }

  /** Counts the calls of another program that uses the same key. */
  spend(calls: number, key = SERVICE_KEY): void {
    for (let call = 0; call < calls; call += 1) this.#window.take(key, this.#now());
  }

  async close(): Promise<void> {
    await Promise.all(HOST_NAMES.map((name) => this.#hosts[name].close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #host(name: HostName, options: { port: number; isSecure: boolean }): Host {
    const cut = { host: name, path: undefined, key: undefined, status: undefined, headers: {} };
    const onCut = () => this.#note(cut);
    return new Host({ onRequest: (req, res) => this.#take(name, req, res), onCut }, options);
  }

  #faultFor(host: HostName, path: string): Fault {
    const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(path)?.[1];
    const target = path === '/v1/sources' ? 'list' : path.startsWith('/charts/') ? 'chart' : 'pulse';
    const names = [`pulse:${id}`, target, target === 'chart' ? '' : 'all'];
    return names.map((name) => this.#faults.get(`${host} ${name}`)).find((fault) => fault && fault !== WELL) ?? WELL;
  }

  #take(host: HostName, req: IncomingMessage, res: ServerResponse): void {
    const path = req.url ?? '';
    const key = req.headers['x-api-key']?.toString();
    const fault = this.#faultFor(host, path);
    const isChart = path.startsWith('/charts/');
    const answer = isChart ? this.#chart(path, fault) : this.#answer(path, key, fault);
    const isSilent = fault.kind === 'hang' || fault.kind === 'reset';
    const seen = { host, path, key, headers: req.headers, status: isSilent ? undefined : answer.status };
    const arrival = this.#note(seen, isChart ? this.chartRequests : this.calls);
    res.on('error', () => undefined);
    for (const end of ['finish', 'close']) res.once(end, () => void (arrival.answeredAtNs ??= nowNs()));
    if (fault.kind === 'hang') return;
    if (fault.kind === 'reset') return void req.socket.resetAndDestroy();
    const late = fault.kind === 'slow' ? fault.ms : 0;
    void pause(late + this.#random.logEven(...this.#latencyMs)).then(() => send(res, answer, fault));
  }

  #answer(path: string, key: string | undefined, fault: Fault): Answer {
    const now = this.#now();
    const window = this.#window.take(key ?? 'none', now);
    const state = { keys: this.keys, content: this.account, account: SERVICE_ACCOUNT };
    const answer = faultAnswer(fault, window, now) ?? specAnswer({ path, key, now }, window, state, fault);
    return this.hasRateHeaders ? answer : { ...answer, headers: withoutRate(answer.headers) };
  }

  #chart(path: string, fault: Fault): Answer {
    const window = { granted: true, limit: 0, remaining: 0, resetInMs: 0 };
    const failed = faultAnswer(fault, window, Date.now());
    const type = { 'content-type': 'image/png', 'cache-control': 'public, max-age=31536000, immutable' };
    return failed ?? { status: 200, headers: type, body: pngOf({ text: path }) };
  }

  #note(seen: Omit<Arrival, 'atNs'>, into = this.calls): Arrival {
    const arrival = { atNs: nowNs(), ...seen };
    into.push(arrival);
    return arrival;
  }
}

function withoutRate(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('x-ratelimit')));
}

function send(res: ServerResponse, { status, headers, body }: Answer, fault: Fault): void {
  const whole = Buffer.from(body);
  const bytes = fault.kind === 'broken-json' ? whole.subarray(0, whole.length / 2) : whole;
  const extra = fault.kind === 'headers' ? fault.headers : {};
  const own = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(bytes.length) };
  const all = Object.entries({ ...own, ...headers, ...extra }).map(([name, value]) => [name.toLowerCase(), value]);
  res.writeHead(status, Object.fromEntries(all));
  if (fault.kind === 'slow-body') void trickle(res, bytes, fault.msPerByte);
  else res.end(bytes);
}

async function trickle(res: ServerResponse, bytes: Buffer, msPerByte: number): Promise<void> {
  for (const byte of bytes) {
    if (res.destroyed) return;
    res.write(Buffer.of(byte));
    await pause(msPerByte);
  }
  res.end();
}

/** Starts a fake service. */
export const startFakeService = (options: FakeServiceOptions = {}): Promise<FakeService> => FakeService.start(options);
