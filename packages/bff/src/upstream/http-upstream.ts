import { readPulseBodySchema, readSourcesBodySchema } from '@pulse-card/contract';
import type { z } from 'zod';
import type { ApiKey } from './api-key.ts';
import type { KeyRing } from './key-file.ts';
import type {
  AccountFacts,
  AnswerOwner,
  CallOptions,
  HostName,
  PulseFound,
  UpstreamRequest,
  SourceRows,
  UnreachableLayer,
  Upstream,
  UpstreamFailure,
  UpstreamReply,
} from './port.ts';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import { accountDigestIn, parseRateLimitHeaders, readResponse, type UpstreamResponse } from './response.ts';
import {
  assertPrivate,
  checkedBase,
  isPlainHttp,
  PublicAddressError,
  type ResolveAddresses,
  upstreamUrl,
} from './url.ts';

type Outcome<Value> = UpstreamReply<Value>['outcome'];

export interface HttpUpstreamOptions {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  readonly key: KeyRing;
  /** One deadline over connect, headers and body, in ms. */
  readonly timeoutMs: number;
  /** Allows plain HTTP to a host at a private address. @default false */
  readonly allowHttpUpstream?: boolean;
  /** @default the resolver of the system */
  readonly resolve?: ResolveAddresses;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a key check returns. */
export interface KeyFacts extends SourceRows {
  readonly account: AccountFacts | undefined;
}

/** The upstream over HTTP, with the one operation that only the key check uses. */
export interface HttpUpstream extends Upstream {
  /** Lists the sources and says which account the key belongs to (spec, "What the service does", 7). */
  checkKey(host: HostName): Promise<UpstreamReply<KeyFacts>>;
}

/** Calls the service over HTTP: follows no redirect, retries nothing, validates every body. */
export function createHttpUpstream(options: HttpUpstreamOptions): HttpUpstream {
  const { key, timeoutMs, allowHttpUpstream = false, resolve, fetch = globalThis.fetch } = options;
  const bases = { main: options.baseUrl, alt: options.altBaseUrl };
  for (const base of [bases.main, bases.alt]) if (base !== undefined) checkedBase(base, allowHttpUpstream);

  async function send<Value>(
    host: HostName,
    request: UpstreamRequest,
    { deadlineMs = timeoutMs, signal }: CallOptions,
    read: (answer: UpstreamResponse) => Outcome<Value>,
  ): Promise<UpstreamReply<Value>> {
    const base = bases[host];
    if (base === undefined) return { host, rate: undefined, outcome: failed({ kind: 'unreachable' }) };
    const used = key.current();
    const deadline = AbortSignal.timeout(Math.ceil(deadlineMs));
    try {
      const url = upstreamUrl(base, request, allowHttpUpstream);
      if (isPlainHttp(url)) await assertPrivate(url.hostname, resolve);
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': 'pulse-bff', ...used.header() },
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      });
      const answer = await readResponse(response);
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
    listSources: (host, callOptions = {}) =>
      send(host, { kind: 'sources' }, callOptions, (answer) =>
        readWith(readSourcesBodySchema, answer, ({ sources, unreadableRows }) =>
          succeeded({ rows: sources, unreadableRows }),
        ),
      ),
    latestPulse: (host, sourceId, callOptions = {}) =>
      send(host, { kind: 'pulse', sourceId }, callOptions, (answer) => readPulse(answer, sourceId)),
    checkKey: (host) =>
      send(host, { kind: 'sources' }, {}, (answer) =>
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

/** A 404 of the service means that the source has no pulse; a 404 of a proxy is a failure. */
function readPulse(answer: UpstreamResponse, sourceId: string): Outcome<PulseFound> {
  if (answer.kind === 'refusal' && answer.isOwn && answer.status === 404) return succeeded({ kind: 'absent' });
  return readWith(readPulseBodySchema, answer, ({ pulse }) =>
    pulse.sourceId === sourceId
      ? succeeded({ kind: 'found', pulse })
      : failed({ kind: 'invalid', reason: 'another source' }),
  );
}

function readWith<Schema extends z.ZodType, Value>(
  schema: Schema,
  answer: UpstreamResponse,
  take: (body: z.output<Schema>) => Outcome<Value>,
): Outcome<Value> {
  if (answer.kind !== 'document') return failed(answer.failure);
  const body = schema.safeParse(answer.document);
  return body.success ? take(body.data) : failed({ kind: 'invalid', reason: 'schema' });
}

/** Rate-limit headers count only on the service's own answers: a gateway has a limit of its own. */
function rateIn(
  { headers }: Response,
  answer: UpstreamResponse,
  { ok }: Outcome<unknown>,
): RateLimitHeaders | undefined {
  return ok || (answer.kind === 'refusal' && answer.isOwn) ? parseRateLimitHeaders(headers) : undefined;
}

function ownerOf(document: unknown, used: ApiKey): AnswerOwner {
  return { account: accountDigestIn(document), keyName: used.name };
}

/** Reports to the key ring whether the key was accepted; marks a refusal that a new key may resolve. */
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
