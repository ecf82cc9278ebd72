import { readErrorBodySchema, readPulseBodySchema, readSourcesBodySchema } from '@pulse-card/contract';
import type { z } from 'zod';
import { accountDigestIn } from './account-digest.ts';
import type { ApiKey } from './api-key.ts';
import { textWithin } from './bounded-body.ts';
import type { KeyRing } from './key-ring.ts';
import type {
  AccountFacts,
  AnswerOwner,
  AskOptions,
  HostName,
  PulseFound,
  UpstreamRequest,
  UpstreamRateLimit,
  SourceRows,
  UnreachableLayer,
  Upstream,
  UpstreamFailure,
  UpstreamReply,
} from './port.ts';
import { parseRateLimitHeaders, retryAfterMsIn } from './rate-limit-headers.ts';
import { assertPrivate, isPlainHttp, PublicAddressError, type ResolveAddresses } from './plain-http.ts';
import { checkedBase, upstreamUrl } from './upstream-url.ts';

/** No answer of this service is longer; a body is cut off here, counted after decompression. */
const BODY_LIMIT_BYTES = 256 * 1024;

type Outcome<Value> = UpstreamReply<Value>['outcome'];

export interface HttpUpstreamOptions {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  readonly key: KeyRing;
  /** One deadline over connect, headers and body, in ms. */
  readonly timeoutMs: number;
  /** Whether a host at a private address may be asked over plain HTTP. @default false */
  readonly allowHttpUpstream?: boolean;
  /** @default the resolver of the system */
  readonly resolve?: ResolveAddresses;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a key check brings. */
export interface KeyFacts extends SourceRows {
  readonly account: AccountFacts | undefined;
}

/** The upstream over HTTP, with the one operation that only the key check uses. */
export interface HttpUpstream extends Upstream {
  /** Lists the sources and says which account the key belongs to (spec, "What the service does", 7). */
  checkKey(host: HostName): Promise<UpstreamReply<KeyFacts>>;
}

/** Asks the service over HTTP: no redirects, no retries, nothing believed that was not checked. */
export function createHttpUpstream(options: HttpUpstreamOptions): HttpUpstream {
  const { key, timeoutMs, allowHttpUpstream = false, resolve, fetch = globalThis.fetch } = options;
  const bases = { main: options.baseUrl, alt: options.altBaseUrl };
  for (const base of [bases.main, bases.alt]) if (base !== undefined) checkedBase(base, allowHttpUpstream);

  async function ask<Value>(
    host: HostName,
    question: UpstreamRequest,
    { deadlineMs = timeoutMs, signal }: AskOptions,
    read: (answer: Answer) => Outcome<Value>,
  ): Promise<UpstreamReply<Value>> {
    const base = bases[host];
    if (base === undefined) return { host, rate: undefined, outcome: failed({ kind: 'unreachable' }) };
    const used = key.current();
    const deadline = AbortSignal.timeout(Math.ceil(deadlineMs));
    try {
      const url = upstreamUrl(base, question, allowHttpUpstream);
      if (isPlainHttp(url)) await assertPrivate(url.hostname, resolve);
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': 'pulse-bff', ...used.header() },
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      });
      const answer = await answerOf(response);
      const outcome = read(answer);
      const owner = answer.kind === 'document' && outcome.ok ? ownerOf(answer.document, used) : undefined;
      return { host, rate: rateIn(response, answer, outcome), owner, outcome: await withKeyResult(outcome, used, key) };
    } catch (error) {
      // What was thrown may quote the request, so that nothing of it is kept but which layer failed.
      const layer = failedLayer(error);
      const failure = deadline.aborted ? ({ kind: 'timed-out' } as const) : ({ kind: 'unreachable', layer } as const);
      return { host, rate: undefined, outcome: failed(failure) };
    }
  }

  return {
    listSources: (host, fetchRequest = {}) =>
      ask(host, { kind: 'sources' }, fetchRequest, (answer) =>
        readWith(readSourcesBodySchema, answer, ({ sources, unreadableRows }) =>
          succeeded({ rows: sources, unreadableRows }),
        ),
      ),
    latestPulse: (host, sourceId, fetchRequest = {}) =>
      ask(host, { kind: 'pulse', sourceId }, fetchRequest, (answer) => readPulse(answer, sourceId)),
    checkKey: (host) =>
      ask(host, { kind: 'sources' }, {}, (answer) =>
        readWith(readSourcesBodySchema, answer, ({ meta, sources, unreadableRows }) =>
          succeeded({ account: meta?.account, rows: sources, unreadableRows }),
        ),
      ),
  };
}

/** Which layer `fetch` failed in, by the code of its cause. */
function failedLayer(error: unknown): UnreachableLayer {
  if (error instanceof PublicAddressError) return 'plain HTTP';
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return 'DNS';
  return /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code) ? 'TLS' : 'connection';
}

/** A response once it is whole. */
type Answer =
  | { readonly kind: 'document'; readonly document: unknown }
  /** A 4xx; `isOwn`: in the shape of the specification, so that it is the service that said it. */
  | {
      readonly kind: 'refusal';
      readonly status: number;
      readonly isOwn: boolean;
      readonly failure: UpstreamFailure;
    }
  | { readonly kind: 'failure'; readonly failure: UpstreamFailure };

async function answerOf(response: Response): Promise<Answer> {
  const { status } = response;
  if (status === 200) return readDocument(response);
  if (status >= 400 && status < 500) return readRefusal(response);
  await discard(response);
  if (status >= 500) return { kind: 'failure', failure: { kind: 'server-error', status } };
  return invalid(status >= 300 && status < 400 ? 'redirect' : 'status');
}

async function readDocument(response: Response): Promise<Answer> {
  const { headers, body } = response;
  if (!isJson(headers)) {
    await discard(response);
    return invalid('content type');
  }
  const text = await textWithin(body, BODY_LIMIT_BYTES);
  if (text === undefined) return invalid('too long');
  try {
    return { kind: 'document', document: JSON.parse(text) as unknown };
  } catch {
    return invalid('not JSON');
  }
}

/** A body that cannot be read makes no other refusal of it: what counts is whether it is plain that the service wrote it. */
async function readRefusal(response: Response): Promise<Answer> {
  const answer = await readDocument(response).catch(() => invalid('body'));
  const isOwn = answer.kind === 'document' && readErrorBodySchema.safeParse(answer.document).success;
  const { status, headers } = response;
  return { kind: 'refusal', status, isOwn, failure: refusalFailure(status, isOwn, headers) };
}

/** A 429 of anybody means that fewer calls are wanted; any other refusal counts only as the service's own word. */
function refusalFailure(status: number, isOwn: boolean, headers: Headers): UpstreamFailure {
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: retryAfterMsIn(headers) };
  if (!isOwn) return { kind: 'intermediary-error', status };
  return status === 401 || status === 403 ? { kind: 'key-refused', status } : { kind: 'invalid', reason: 'status' };
}

async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}

function isJson(headers: Headers): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get('Content-Type') ?? '');
}

/** A 404 of the service is an answer: the source has no pulse. That of a proxy must not take a pulse from its readers. */
function readPulse(answer: Answer, sourceId: string): Outcome<PulseFound> {
  if (answer.kind === 'refusal' && answer.isOwn && answer.status === 404) return succeeded({ kind: 'absent' });
  return readWith(readPulseBodySchema, answer, ({ pulse }) =>
    pulse.sourceId === sourceId
      ? succeeded({ kind: 'found', pulse })
      : failed({ kind: 'invalid', reason: 'another source' }),
  );
}

function readWith<Schema extends z.ZodType, Value>(
  schema: Schema,
  answer: Answer,
  take: (body: z.output<Schema>) => Outcome<Value>,
): Outcome<Value> {
  if (answer.kind !== 'document') return failed(answer.failure);
  const body = schema.safeParse(answer.document);
  return body.success ? take(body.data) : failed({ kind: 'invalid', reason: 'schema' });
}

/** The rate-limit headers count only on the service's own answers: those of a gateway are about something else. */
function rateIn({ headers }: Response, answer: Answer, { ok }: Outcome<unknown>): UpstreamRateLimit | undefined {
  return ok || (answer.kind === 'refusal' && answer.isOwn) ? parseRateLimitHeaders(headers) : undefined;
}

function ownerOf(document: unknown, used: ApiKey): AnswerOwner {
  return { account: accountDigestIn(document), keyName: used.name };
}

/** Tells the ring how the key fared; a refusal that another key may mend says so. */
async function withKeyResult<Value>(outcome: Outcome<Value>, used: ApiKey, key: KeyRing): Promise<Outcome<Value>> {
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
