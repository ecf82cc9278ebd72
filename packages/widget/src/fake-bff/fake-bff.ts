import type { ListedSource } from '../data/parse-sources.ts';
import type { Pulse, Rhythm } from '../data/pulse.ts';
import type { PulseErrorCode } from '../data/result.ts';
import { failedResponse } from './failed-response.ts';
import { readerOf } from './fake-token.ts';

/** An earlier run, as the BFF lists it. */
export interface EarlierRun extends Pick<
  Pulse,
  'jobRunId' | 'completedAt' | 'aiSummaryShort' | 'imageUrl' | 'withheld'
> {
  /** When the BFF first saw the run (ISO 8601, UTC). @default `completedAt` */
  readonly firstSeenAt?: string;
}

/** The data that a reader is allowed to see. */
export interface FakeData {
  /** The latest pulse of each source that has a pulse. */
  readonly pulses?: readonly Pulse[];
  /** The list of sources, for boards. @default one source for each pulse */
  readonly sources?: readonly ListedSource[];
  /** Each source's usual interval, keyed by the source's ID. @default unknown */
  readonly rhythms?: Readonly<Record<string, Rhythm>>;
  /**
   * Each source's earlier runs, keyed by the source's ID, the latest run first.
   * @default no runs, like a BFF that doesn't store any
   */
  readonly runs?: Readonly<Record<string, readonly EarlierRun[]>>;
}

/** The data that all responses share. */
interface AnswerParts {
  readonly meta: { readonly requestedAt: string; readonly stale: boolean };
  readonly headers: HeadersInit;
}

/** The data for a fake BFF. */
export interface FakeBffOptions extends FakeData {
  /**
   * Each reader's data, keyed by the token's `sub`. If there are readers, each request needs a token for one of them.
   */
  readonly readers?: Readonly<Record<string, FakeData>>;
}

const ADVICE =
  'Jest’s jsdom hides Node features. Use the jest-fixed-jsdom test environment or Vitest, both of which keep them.';

/** A fake BFF that works without a network, for testing a page. Replace the global `fetch` with its `fetch`. */
export class FakeBff {
  /** The requested URLs, in order. */
  readonly requests: string[] = [];
  readonly #shared: Account;
  readonly #readers: ReadonlyMap<string, Account> | undefined;
  readonly #failures = new Map<string | undefined, PulseErrorCode>();
  readonly #stale = new Set<string | undefined>();

  /** If the test environment lacks features, throws an error that names them. */
  constructor({ readers, ...data }: FakeBffOptions = {}) {
    const missing = ['Response', 'Headers'].filter((name) => !(globalThis as Record<string, unknown>)[name]);
    if (missing.length > 0)
      throw new Error(`FakeBff: this test environment has no ${missing.join(' and no ')}. ${ADVICE}`);
    this.#shared = new Account(data);
    const accounts = Object.entries(readers ?? {}).map(([sub, own]) => [sub, new Account(own, sub)] as const);
    this.#readers = readers && new Map(accounts);
  }

  /** Responds to requests for the list, pulses, and earlier runs. Responds to all others with 404. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { url, signal, headers } = typeof input === 'object' && 'url' in input ? input : { url: `${input}`, ...init };
    this.requests.push(url);
    // The response arrives asynchronously, like one from the network.
    await Promise.resolve();
    signal?.throwIfAborted();
    const failure = this.#failures.get(undefined);
    if (failure) return failedResponse(failure);
    const account = this.#accountOf(new Headers(headers).get('Authorization') ?? '');
    return typeof account === 'string'
      ? failedResponse(account)
      : this.#answer(new URL(url, 'http://localhost'), account);
  };

  /** Makes every request fail from now on. With `sourceId`, only that source's pulse fails. */
  fail(code: PulseErrorCode, sourceId?: string): void {
    this.#failures.set(sourceId, code);
  }

  /**
   * Serves all pulses as stale from now on, like a BFF during a service outage. With `sourceId`, only that source's
   * pulse is stale.
   */
  goStale(sourceId?: string): void {
    this.#stale.add(sourceId);
  }

  /** Ends all simulated failures and staleness. */
  recover(): void {
    this.#failures.clear();
    this.#stale.clear();
  }

  /** Gives a source its next pulse, for everyone or for one reader. Cards show it after their next request. */
  deliver(pulse: Pulse, reader?: string): void {
    const account = reader === undefined ? this.#shared : this.#readers?.get(reader);
    if (account === undefined) throw new Error(`Can’t deliver to "${reader}": this FakeBff has no such reader`);
    account.pulses.set(pulse.sourceId, pulse);
  }

  /** The data for the reader who sent a request, or the rejection's code. */
  #accountOf(authorization: string): Account | PulseErrorCode {
    if (this.#readers === undefined) return this.#shared;
    if (authorization === '') return 'token_missing';
    return this.#readers.get(readerOf(authorization) ?? '') ?? 'token_invalid';
  }

  #answer({ pathname, searchParams }: URL, account: Account): Response {
    const meta = { requestedAt: new Date().toISOString(), stale: this.#stale.has(undefined) };
    const { reader } = account;
    const headers = {
      'Cache-Control': this.#readers ? 'private, no-cache' : 'no-cache',
      ...(reader !== undefined && { 'Pulse-Reader': encodeURIComponent(reader) }),
    };
    if (pathname.endsWith('/v1/sources')) {
      const provider = searchParams.get('provider');
      const sources = account.sources.filter((source) => !provider || source.provider === provider);
      return Response.json({ meta, sources }, { headers });
    }
    const [, listed = ''] = /\/v1\/sources\/([^/]+)\/runs$/.exec(pathname) ?? [];
    if (listed) return this.#answerRuns(decodeURIComponent(listed), account, { meta, headers });
    const [, single = ''] = /\/v1\/sources\/([^/]+)\/pulse$/.exec(pathname) ?? [];
    if (single) return this.#answerPulse(decodeURIComponent(single), account, { meta, headers });
    if (!pathname.endsWith('/v1/pulses')) return failedResponse('not_found');
    const ids = new Set(searchParams.get('ids')?.split(','));
    return Response.json({ meta, pulses: [...ids].map((id) => this.#outcome(id, account, meta)) }, { headers });
  }

  #answerPulse(id: string, account: Account, { meta, headers }: AnswerParts): Response {
    const { ok, code, pulse, source, meta: own } = this.#outcome(id, account, meta);
    return ok ? Response.json({ meta: own, pulse, source }, { headers }) : failedResponse(code);
  }

  /** Lists a source's runs, including the latest run. */
  #answerRuns(id: string, { pulses, runs }: Account, { meta, headers }: AnswerParts) {
    const [latest, earlier] = [pulses.get(id), runs[id]];
    if (!latest || !earlier) return failedResponse(this.#failures.get(id) ?? 'not_found');
    const all = [latest, ...earlier].map((run) => runOf(withheldIn(run)));
    return Response.json({ meta: { ...meta, complete: false }, runs: all }, { headers });
  }

  #outcome(sourceId: string, { pulses, sources, rhythms }: Account, { requestedAt, stale }: AnswerParts['meta']) {
    const listed = sources.find(({ id }) => id === sourceId);
    const pulse = pulses.get(sourceId);
    const absent = listed ? 'pulse_not_found' : this.#readers ? 'token_forbidden' : 'source_unknown';
    const code = this.#failures.get(sourceId) ?? (pulse ? undefined : absent);
    const rhythm = rhythms[sourceId] ?? { usual: null, overdueSince: null };
    const source = listed && { ...factsOf(listed), rhythm };
    if (code) return { sourceId, ok: false as const, code, error: `${code} by a test`, source };
    return {
      sourceId,
      ok: true as const,
      pulse: pulse && withheldIn(pulse),
      source,
      meta: { requestedAt, stale: stale || this.#stale.has(sourceId) },
    };
  }
}

/** The data for one reader, or for everyone. */
class Account {
  readonly pulses: Map<string, Pulse>;
  readonly rhythms: Readonly<Record<string, Rhythm>>;
  readonly runs: Readonly<Record<string, readonly EarlierRun[]>>;
  readonly reader: string | undefined;
  readonly #sources: readonly ListedSource[] | undefined;

  constructor({ pulses = [], sources, rhythms = {}, runs = {} }: FakeData, reader?: string) {
    this.reader = reader;
    this.rhythms = rhythms;
    this.runs = runs;
    this.pulses = new Map(pulses.map((pulse) => [pulse.sourceId, pulse]));
    this.#sources = sources;
  }

  get sources(): readonly ListedSource[] {
    return this.#sources ?? [...this.pulses.values()].map(listedSource);
  }
}

/** The facts about a source that a response contains alongside the pulse. */
function factsOf({ id: _id, ...facts }: ListedSource): Omit<ListedSource, 'id'> {
  return facts;
}

/** The run, without its text if it is withheld. */
function withheldIn<Run extends EarlierRun>(run: Run): Run {
  return run.withheld ? { ...run, aiSummaryShort: null, aiSummaryLong: null } : run;
}

function runOf({ jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl, withheld }: EarlierRun): EarlierRun {
  const seenAt = firstSeenAt ?? completedAt ?? new Date().toISOString();
  return { jobRunId, completedAt, firstSeenAt: seenAt, aiSummaryShort, imageUrl, ...(withheld && { withheld }) };
}

function listedSource({ sourceId, sourceName }: Pulse): ListedSource {
  return { id: sourceId, name: sourceName, provider: 'GOOGLE', status: 'ACTIVE' };
}
