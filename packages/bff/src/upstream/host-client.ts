import { createHmac } from 'node:crypto';
import type { ApiKey } from '../lib/api-key.ts';
import type { Clock } from '../lib/clock.ts';
import { isPlainHttp, isPrivateHost, type Resolve } from '../lib/ip-address.ts';
import type { AnswerOwner } from './answer.ts';
import type { HostName } from './hosts.ts';
import type { KeySource } from './key-source.ts';
import { failed, classifyResponse, type Reply, type UnreachableLayer } from './classify-response.ts';
import type { Account, Operation } from './subject.ts';
import { upstreamUrl } from './upstream-url.ts';

/** The part of the configuration that applies to the upstream. */
export interface UpstreamSettings {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  /**
   * Deadline of a request to one host, or to both hosts together, in ms. The deadline covers the connection, headers,
   * and body.
   */
  readonly upstreamTimeoutMs: number;
}

export interface HostClientOptions {
  readonly key: Pick<KeySource, 'current' | 'accepted' | 'refused'>;
  readonly clock: Clock;
  /** @default the system's resolver */
  readonly resolve?: Resolve | undefined;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The result of one call to one host. */
export interface CallReply<Value> extends Reply<Value> {
  readonly host: HostName;
  readonly owner: AnswerOwner;
  /** Whether the upstream rejected the key and a different key is available for an immediate retry. */
  readonly hasOtherKey: boolean;
}

/**
 * Makes single calls to the hosts of the service, with the key in use. Doesn't follow redirects, and validates every
 * body.
 */
export class HostClient {
  /** The deadline of a call, in ms. */
  readonly timeoutMs: number;
  readonly #options: HostClientOptions;
  readonly #bases: Readonly<Record<HostName, URL | undefined>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #closed = new AbortController();

  constructor({ baseUrl, altBaseUrl, upstreamTimeoutMs }: UpstreamSettings, options: HostClientOptions) {
    this.timeoutMs = upstreamTimeoutMs;
    this.#options = options;
    this.#bases = { main: new URL(baseUrl), alt: altBaseUrl === undefined ? undefined : new URL(altBaseUrl) };
    this.#fetch = options.fetch ?? globalThis.fetch;
  }

  get hasAlt(): boolean {
    return this.#bases.alt !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Ends all calls. */
  close(): void {
    this.#closed.abort();
  }

  /** Makes one call to one host. Never rejects. */
  async call<Value>(
    host: HostName,
    operation: Operation<Value>,
    deadlineMs = this.timeoutMs,
  ): Promise<CallReply<Value>> {
    const used = this.#options.key.current();
    const reply = await this.#exchange(host, operation, used, deadlineMs);
    const { outcome, account } = reply;
    if (outcome.ok) this.#options.key.accepted(used);
    const isRefused = !outcome.ok && outcome.failure.kind === 'key-refused';
    const hasOtherKey = isRefused && (await this.#options.key.refused(used));
    const owner = { account: account && digestOf(account), keyName: used.name };
    return { ...reply, host, owner, hasOtherKey };
  }

  async #exchange<Value>(
    host: HostName,
    operation: Operation<Value>,
    key: ApiKey,
    deadlineMs: number,
  ): Promise<Reply<Value>> {
    const base = this.#bases[host];
    if (base === undefined) return { outcome: failed({ kind: 'unreachable' }) };
    const deadline = new AbortController();
    const cancel = this.#options.clock.schedule(Math.ceil(deadlineMs), () => deadline.abort());
    try {
      const url = upstreamUrl(base, operation.subject);
      if (isPlainHttp(url) && !(await isPrivateHost(url.hostname, this.#options.resolve)))
        return { outcome: failed({ kind: 'unreachable', layer: 'plain HTTP' }) };
      const response = await this.#fetch(url, {
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': 'pulse-bff', ...key.header() },
        signal: AbortSignal.any([deadline.signal, this.#closed.signal]),
      });
      return await classifyResponse(response, operation);
    } catch (error) {
      // The error may quote the request, so only the name of the failed layer is kept.
      if (deadline.signal.aborted) return { outcome: failed({ kind: 'timed-out' }) };
      return { outcome: failed({ kind: 'unreachable', layer: failedLayer(error) }) };
    } finally {
      cancel();
    }
  }
}

/** Makes these digests differ from digests of the same text for other purposes. Not a secret. */
const PURPOSE = 'pulse-card account 1';

/** A digest of an account's id. The id itself never leaves the process. */
function digestOf({ id }: Account): string {
  return createHmac('sha256', PURPOSE).update(id).digest('base64url');
}

/**
 * Returns the layer in which a call failed. Uses the code of a lookup error, or the code of a `fetch` error's cause.
 */
function failedLayer(error: unknown): UnreachableLayer {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return 'DNS';
  return /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code) ? 'TLS' : 'connection';
}
