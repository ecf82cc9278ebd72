import { readPulseBodySchema, readSourcesBodySchema, type ReadSource } from '@pulse-card/contract';
import type { z } from 'zod';
import { textWithin } from './bounded-body.ts';
import type { KeyRing } from './key-ring.ts';
import type {
  AccountFacts,
  AskOptions,
  HostName,
  PulseFound,
  Question,
  Upstream,
  UpstreamFailure,
  UpstreamReply,
} from './port.ts';
import { rateFactsIn, retryAfterMsIn } from './rate-facts.ts';
import { checkedBase, upstreamUrl } from './upstream-url.ts';

/** No answer of this service is longer; a body is cut off here, counted after decompression. */
const BODY_LIMIT_BYTES = 256 * 1024;

/** What is wrong with a failed answer is told apart no further than this. */
type Outcome<Value> = UpstreamReply<Value>['outcome'];

export interface HttpUpstreamOptions {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  readonly key: KeyRing;
  /** One deadline over connect, headers and body, in ms. */
  readonly timeoutMs: number;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** The upstream over HTTP, with the one operation that only the key check uses. */
export interface HttpUpstream extends Upstream {
  /** Lists the sources and says which account the key belongs to (spec, "What the service does", 7). */
  checkKey(
    host: HostName,
  ): Promise<UpstreamReply<{ account: AccountFacts | undefined; sources: readonly ReadSource[] }>>;
}

/** Asks the service over HTTP: no redirects, no retries, nothing believed that was not checked. */
export function createHttpUpstream(options: HttpUpstreamOptions): HttpUpstream {
  const { key, timeoutMs, fetch = globalThis.fetch } = options;
  const bases = { main: options.baseUrl, alt: options.altBaseUrl };
  for (const base of [bases.main, bases.alt]) if (base !== undefined) checkedBase(base);

  async function ask<Value>(
    host: HostName,
    question: Question,
    { deadlineMs = timeoutMs, signal }: AskOptions,
    read: (answer: Answer) => Outcome<Value>,
  ): Promise<UpstreamReply<Value>> {
    const base = bases[host];
    if (base === undefined) return { host, rate: undefined, outcome: failed({ kind: 'unreachable' }) };
    const used = key.current();
    const deadline = AbortSignal.timeout(Math.ceil(deadlineMs));
    try {
      const response = await fetch(upstreamUrl(base, question), {
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': 'pulse-bff', ...used.header() },
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      });
      const rate = rateFactsIn(response.headers);
      const outcome = read(await answerOf(response));
      return { host, rate, outcome: await withKeyNews(outcome, used, key) };
    } catch {
      // What was thrown may quote the request, so nothing of it is kept.
      return { host, rate: undefined, outcome: failed({ kind: deadline.aborted ? 'timed-out' : 'unreachable' }) };
    }
  }

  return {
    listSources: (host, asking = {}) =>
      ask(host, { kind: 'sources' }, asking, (answer) =>
        readWith(readSourcesBodySchema, answer, ({ sources }) => succeeded(sources)),
      ),
    latestPulse: (host, sourceId, asking = {}) =>
      ask(host, { kind: 'pulse', sourceId }, asking, (answer) => readPulse(answer, sourceId)),
    checkKey: (host) =>
      ask(host, { kind: 'sources' }, {}, (answer) =>
        readWith(readSourcesBodySchema, answer, ({ meta, sources }) => succeeded({ account: meta?.account, sources })),
      ),
  };
}

/** An answer once it is whole: a status and a document, or why there is none. */
type Answer =
  | { readonly kind: 'document'; readonly status: number; readonly document: unknown }
  | { readonly kind: 'failure'; readonly failure: UpstreamFailure };

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const failure = failureOf(status, headers);
  if (failure) {
    await response.body?.cancel().catch(() => {});
    return { kind: 'failure', failure };
  }
  if (!isJson(headers)) {
    await response.body?.cancel().catch(() => {});
    return invalid('content type');
  }
  const text = await textWithin(response.body, BODY_LIMIT_BYTES);
  if (text === undefined) return invalid('too long');
  try {
    return { kind: 'document', status, document: JSON.parse(text) as unknown };
  } catch {
    return invalid('not JSON');
  }
}

function failureOf(status: number, headers: Headers): UpstreamFailure | undefined {
  if (status === 401 || status === 403) return { kind: 'key-refused', status };
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: retryAfterMsIn(headers) };
  if (status >= 500) return { kind: 'server-error', status };
  if (status === 200 || status === 404) return undefined;
  return { kind: 'invalid', reason: status >= 300 && status < 400 ? 'redirect' : 'status' };
}

function isJson(headers: Headers): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get('Content-Type') ?? '');
}

function readPulse(answer: Answer, sourceId: string): Outcome<PulseFound> {
  if (answer.kind === 'document' && answer.status === 404) return readAbsence(answer.document);
  return readWith(readPulseBodySchema, answer, ({ pulse }) =>
    pulse.sourceId === sourceId
      ? succeeded({ kind: 'found', pulse })
      : failed({ kind: 'invalid', reason: 'another source' }),
  );
}

/** A 404 counts where it has the spec's shape: that of a proxy on the way must not take a pulse from its readers. */
function readAbsence(document: unknown): Outcome<PulseFound> {
  const isSaid = typeof document === 'object' && document !== null && 'error' in document;
  return isSaid ? succeeded({ kind: 'absent' }) : failed({ kind: 'invalid', reason: 'status' });
}

function readWith<Schema extends z.ZodType, Value>(
  schema: Schema,
  answer: Answer,
  take: (body: z.output<Schema>) => Outcome<Value>,
): Outcome<Value> {
  if (answer.kind === 'failure') return failed(answer.failure);
  if (answer.status !== 200) return failed({ kind: 'invalid', reason: 'status' });
  const body = schema.safeParse(answer.document);
  return body.success ? take(body.data) : failed({ kind: 'invalid', reason: 'schema' });
}

/** Tells the ring how the key fared; a refusal that another key may mend says so. */
async function withKeyNews<Value>(
  outcome: Outcome<Value>,
  used: ReturnType<KeyRing['current']>,
  key: KeyRing,
): Promise<Outcome<Value>> {
  if (!outcome.ok && outcome.failure.kind === 'key-refused')
    return failed({ ...outcome.failure, otherKeyAtHand: await key.refused(used) });
  if (outcome.ok) key.accepted(used);
  return outcome;
}

function succeeded<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

function failed(failure: UpstreamFailure): { ok: false; failure: UpstreamFailure } {
  return { ok: false, failure };
}

function invalid(reason: string): Answer {
  return { kind: 'failure', failure: { kind: 'invalid', reason } };
}
