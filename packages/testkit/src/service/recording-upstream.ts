import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { RATE_LIMIT, RATE_WINDOW_MS } from '@pulse-card/contract';
import { type Random, randomFrom } from '../random.ts';
import { ChangingWorld, type WorldOptions } from './changing-world.ts';
import { ExactWindow } from './exact-window.ts';
import { type Fault, FaultyHost } from './faulty-host.ts';
import { type Answer, faultAnswer, specAnswer } from './spec-answer.ts';

/** The names of the service's two hosts. */
export const HOST_NAMES = ['A', 'B'] as const;

/** One of the service's hosts. */
export type HostName = (typeof HOST_NAMES)[number];

/** A call or an attempted call that the upstream saw. */
export interface Arrival {
  /** The time in nanoseconds, from a monotonic clock that all processes on the machine share. */
  readonly atNs: number;
  readonly host: HostName;
  /** The path, or undefined for a connection that was cut before it could send a request. */
  readonly path: string | undefined;
  /** The first characters of the key's SHA-256, or undefined if no key was sent. */
  readonly keyHash: string | undefined;
  /** The answer's status, or undefined if there was no answer. */
  readonly status: number | undefined;
  /** The time at which the answer was sent or the connection ended, in nanoseconds. Undefined until then. */
  answeredAtNs?: number;
}

/** The machine's monotonic clock, in nanoseconds. A JavaScript number is exact for the first hundred days of uptime. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

/** A hash of a key. Unlike the key itself, it may appear in records. */
export function keyHashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12);
}

/** The options for the simulated service. */
export interface UpstreamOptions extends WorldOptions {
  /** The number of calls that a key may make in a window. @default 60 */
  readonly limit?: number;
  /** @default 60000 */
  readonly windowMs?: number;
  /** The shortest and longest time that an answer takes, in ms. @default 20 to 80 */
  readonly latencyMs?: readonly [min: number, max: number];
  /** The two hosts' ports. 0 takes a free port. @default 0 and 0 */
  readonly ports?: readonly [a: number, b: number];
  /** Whether requests for the first source's pulse always fail with 500. @default false */
  readonly hasBrokenSource?: boolean;
}

/** The running fake service. It records arrivals, and misbehaves on request. */
export interface RecordingUpstream {
  readonly urls: Readonly<Record<HostName, string>>;
  readonly ids: readonly string[];
  fail(host: HostName | 'both', fault: Fault): Promise<void>;
  arrivals(): Promise<readonly Arrival[]>;
  close(): Promise<void>;
}

/** The key that is accepted. */
export const BENCH_KEY = 'pk_bench_0123456789abcdef';

/** Simulates the service on two ports that share one rate window, as in the spec. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<RecordingUpstream> {
  const played = new PlayedService(options);
  await Promise.all(HOST_NAMES.map((name) => played.hosts[name].open()));
  const chosen = (host: HostName | 'both') => (host === 'both' ? HOST_NAMES : [host]).map((name) => played.hosts[name]);
  return {
    urls: { A: played.hosts.A.url, B: played.hosts.B.url },
    ids: played.world.ids,
    fail: async (host, fault) => void (await Promise.all(chosen(host).map((each) => each.fail(fault)))),
    arrivals: async () => [...played.record],
    close: async () => void (await Promise.all(chosen('both').map((each) => each.close()))),
  };
}

class PlayedService {
  readonly world: ChangingWorld;
  readonly record: Arrival[] = [];
  readonly hosts: Readonly<Record<HostName, FaultyHost>>;
  readonly #window: ExactWindow;
  readonly #latencyMs: readonly [number, number];
  readonly #random: Random;
  readonly #brokenSource: string | undefined;

  constructor(options: UpstreamOptions) {
    const { limit = RATE_LIMIT, windowMs = RATE_WINDOW_MS, latencyMs = [20, 80] } = options;
    this.world = new ChangingWorld(Date.now(), options);
    this.#window = new ExactWindow({ limit, windowMs });
    this.#latencyMs = latencyMs;
    this.#random = randomFrom(options.seed ?? 1);
    this.#brokenSource = options.hasBrokenSource === true ? this.world.ids[0] : undefined;
    this.hosts = { A: this.#host('A', options.ports?.[0]), B: this.#host('B', options.ports?.[1]) };
  }

  #host(name: HostName, port = 0): FaultyHost {
    const onCut = () => this.#note({ host: name, path: undefined, keyHash: undefined, status: undefined });
    return new FaultyHost({ onRequest: (req, res, fault) => this.#answer(name, req, res, fault), onCut }, port);
  }

  #answer(host: HostName, req: IncomingMessage, res: ServerResponse, fault: Fault): void {
    const path = req.url ?? '';
    const key = req.headers['x-api-key']?.toString();
    const now = Date.now();
    const window = this.#window.take(key ?? 'none', performance.now());
    const state = { key: BENCH_KEY, world: this.world, brokenSource: this.#brokenSource };
    const answer = faultAnswer(fault, window, now) ?? specAnswer({ path, key, now }, window, state, fault);
    const keyHash = key === undefined ? undefined : keyHashOf(key);
    const arrival = this.#note({ host, path, keyHash, status: fault.kind === 'hang' ? undefined : answer.status });
    res.on('error', () => undefined);
    for (const end of ['finish', 'close']) res.once(end, () => void (arrival.answeredAtNs ??= nowNs()));
    if (fault.kind === 'hang') return;
    void pause(this.#random.logEven(...this.#latencyMs)).then(() => this.#send(res, answer, fault));
  }

  #note(seen: Omit<Arrival, 'atNs'>): Arrival {
    const arrival = { atNs: nowNs(), ...seen };
    this.record.push(arrival);
    return arrival;
  }

  #send(res: ServerResponse, { status, headers, body }: Answer, fault: Fault): void {
    const text = fault.kind === 'broken-json' ? body.slice(0, body.length / 2) : body;
    const length = { 'content-length': String(Buffer.byteLength(text)) };
    res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...length, ...headers });
    if (fault.kind === 'slow-body') void trickle(res, text, fault.msPerByte);
    else res.end(text);
  }
}

async function trickle(res: ServerResponse, text: string, msPerByte: number): Promise<void> {
  for (const byte of Buffer.from(text)) {
    if (res.destroyed) return;
    res.write(Buffer.of(byte));
    await pause(msPerByte);
  }
  res.end();
}
