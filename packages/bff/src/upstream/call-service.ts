import { createHmac } from 'node:crypto';
import { KEY_HEADER, type ReadAccount } from '@pulse-card/contract';
import type { ApiKey } from '../lib/api-key.ts';
import type { Clock } from '../lib/clock.ts';
import { AddressError } from '../lib/ip-address.ts';
import { codeOf, type Outgoing, ProxyError, ResetError } from '../lib/outgoing.ts';
import { type Answered, type CallFailure, classifyResponse } from './classify-response.ts';
import type { HostName } from './failure.ts';
import { urlOf } from './target.ts';

/** The service, and how it is reached. */
export interface Service {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  readonly clock: Clock;
  readonly outgoing: Outgoing;
}

/** One call: its target, what it asks for, and how long it may take. */
export interface Call {
  readonly host: HostName;
  readonly target: string;
  readonly key: ApiKey;
  readonly deadlineMs: number;
  /** Whether to open a new connection instead of using a keep-alive connection. @default false */
  readonly usesNewConnection?: boolean;
}

/**
 * Makes one call, with one deadline for connecting, headers, and body, unless `signal` ends it earlier. Reads the body
 * completely and doesn't follow redirects. Never rejects.
 */
export async function callService(
  { baseUrl, altBaseUrl, clock, outgoing }: Service,
  { host, target, key, deadlineMs, usesNewConnection = false }: Call,
  signal?: AbortSignal,
): Promise<Answered | CallFailure> {
  const base = new URL(host === 'alt' && altBaseUrl !== undefined ? altBaseUrl : baseUrl);
  const deadline = new AbortController();
  const cancel = clock.schedule(Math.ceil(deadlineMs), () => deadline.abort());
  try {
    const response = await outgoing.fetch(urlOf(base, target), {
      headers: { accept: 'application/json', 'user-agent': 'pulse-bff', [KEY_HEADER]: key.reveal() },
      signal: signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal,
      usesNewConnection,
    });
    return await classifyResponse(response, target);
  } catch (error) {
    if (deadline.signal.aborted) return { ok: false, code: 'timeout' };
    if (error instanceof ResetError) return { ok: false, code: 'connection', isReset: true };
    return failureOf(error);
  } finally {
    cancel();
  }
}

/** The layer in which a call failed. The error itself isn't passed on, because it may quote the request. */
function failureOf(error: unknown): CallFailure {
  if (error instanceof AddressError) return { ok: false, code: 'plain_http' };
  if (error instanceof ProxyError) return { ok: false, code: 'proxy', status: error.status, detail: error.message };
  const code = codeOf(error);
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return { ok: false, code: 'dns' };
  if (/^(?:EMFILE|ENFILE)$/.test(code)) return { ok: false, code: 'no_descriptors' };
  return { ok: false, code: /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code) ? 'tls' : 'connection' };
}

/** Distinguishes these digests from digests of the same text for other purposes. Not a secret. */
const PURPOSE = 'pulse-card account 1';

/** A digest of an account's ID. The ID itself never leaves the process. */
export function digestOf({ id }: ReadAccount): string {
  return createHmac('sha256', PURPOSE).update(id).digest('base64url');
}
