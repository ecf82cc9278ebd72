import type { PulseBoard, PulseCard } from '../elements/index.ts';
import type { PulseStatus } from '../controllers/resource-state.ts';
import type { ListedSource } from '../data/parse-sources.ts';
import type { Pulse } from '../data/pulse.ts';
import { failureOf, type PulseErrorCode } from '../data/result.ts';

/** The data of a BFF in a test. */
export interface FakeBffOptions {
  /** The latest pulse of each source that has one. */
  readonly pulses?: readonly Pulse[];
  /** The list, for boards. @default one for each pulse */
  readonly sources?: readonly ListedSource[];
}

/** A BFF without a network, for the tests of a page: its `fetch` takes the place of the global one. */
export class FakeBff {
  /** The addresses that were requested, in order. */
  readonly requests: string[] = [];
  readonly #pulses: Map<string, Pulse>;
  readonly #sources: readonly ListedSource[];
  readonly #failures = new Map<string | undefined, PulseErrorCode>();

  constructor({ pulses = [], sources = pulses.map(listedSource) }: FakeBffOptions = {}) {
    this.#pulses = new Map(pulses.map((pulse) => [pulse.sourceId, pulse]));
    this.#sources = sources;
  }

  /** Answers list and pulses; anything else is 404. */
  readonly fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { url, signal } = typeof input === 'object' && 'url' in input ? input : { url: String(input), ...init };
    this.requests.push(url);
    // Later, as an answer from a network would come.
    return Promise.resolve().then(() => {
      signal?.throwIfAborted();
      return this.#answer(new URL(url, 'http://localhost'));
    });
  };

  /** Has every request fail from now on, or the pulse of one source. */
  fail(code: PulseErrorCode, sourceId?: string): void {
    this.#failures.set(sourceId, code);
  }

  /** Ends all failures. */
  recover(): void {
    this.#failures.clear();
  }

  /** Gives a source its next pulse; cards show it once they ask again. */
  deliver(pulse: Pulse): void {
    this.#pulses.set(pulse.sourceId, pulse);
  }

  #answer({ pathname, searchParams }: URL): Response {
    const failure = this.#failures.get(undefined);
    if (failure) return failedResponse(failure);
    const meta = { requestedAt: new Date().toISOString(), stale: false };
    if (pathname.endsWith('/v1/sources')) {
      const provider = searchParams.get('provider');
      const sources = this.#sources.filter((source) => !provider || source.provider === provider);
      return Response.json({ meta, sources });
    }
    if (!pathname.endsWith('/v1/pulses')) return failedResponse('not_found');
    const ids = searchParams.get('ids')?.split(',') ?? [];
    return Response.json({ meta, pulses: ids.map((id) => ({ sourceId: id, meta, ...this.#outcome(id) })) });
  }

  #outcome(id: string): object {
    const { name, status } = this.#sources.find((source) => source.id === id) ?? {};
    const pulse = this.#pulses.get(id);
    const code =
      this.#failures.get(id) ?? (pulse ? undefined : name === undefined ? 'source_unknown' : 'pulse_not_found');
    const source = { name, status };
    return code ? { ok: false, code, error: `${code} by a test`, source } : { ok: true, pulse, source };
  }
}

/** A pulse of a source; what is not given has a default, and there is no chart. */
export function pulseOf(sourceId: string, fields: Partial<Pulse> = {}): Pulse {
  return {
    jobRunId: 'run_1',
    sourceId,
    sourceName: 'Q2 revenue',
    status: 'SUCCESS',
    completedAt: new Date().toISOString(),
    imageUrl: null,
    aiSummaryShort: 'Revenue rose 12 % in the second quarter.',
    aiSummaryLong: 'Revenue rose **12 %** in the second quarter.\n\n- North: +18 %\n- South: +4 %',
    ...fields,
  };
}

/** Resolves once an element shows what became of its request: with its state, which is none of `idle` and `loading`. */
export async function settled(element: PulseCard | PulseBoard): Promise<PulseStatus> {
  await element.updateComplete;
  while (element.state === 'idle' || element.state === 'loading')
    await new Promise((resolve) => element.addEventListener('pulse-state', resolve, { once: true }));
  await element.updateComplete;
  return element.state;
}

function listedSource({ sourceId, sourceName }: Pulse): ListedSource {
  return { id: sourceId, name: sourceName, provider: 'GOOGLE', status: 'ACTIVE' };
}

/** The statuses of codes that only whole answers have. */
const STATUS_OF_CODE: Readonly<Partial<Record<PulseErrorCode, number>>> = {
  bad_request: 400,
  token_missing: 401,
  token_invalid: 401,
  origin_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
};

/** The response of `fetch` while all requests fail; throws while the network does. */
function failedResponse(code: PulseErrorCode): Response {
  const html = (status: number): Response =>
    new Response('<!doctype html>', { status, headers: { 'Content-Type': 'text/html' } });
  if (code === 'network') throw new TypeError('Failed to fetch');
  if (code === 'timeout') throw new DOMException('The operation timed out', 'TimeoutError');
  if (code === 'invalid_answer') return html(200);
  if (code === 'signed_out') return html(401);
  const status = STATUS_OF_CODE[code] ?? failureOf(code).status;
  return Response.json({ success: false, error: `${code} by a test`, code }, { status });
}
