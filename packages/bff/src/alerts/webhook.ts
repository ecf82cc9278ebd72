import type { Secret } from '../secret.ts';

/** How long a webhook may take, in ms. */
const TIMEOUT_MS = 5_000;

/** What became of a message: `failure` is words for the status page. */
export type SendOutcome = { readonly ok: true } | { readonly ok: false; readonly failure: string };

/** Sends one message; never rejects. */
export type SendAlert = (text: string) => Promise<SendOutcome>;

/** Makes the sender of a webhook that takes `{ "text": "…" }`. Redirects are not followed: the address is a secret. */
export function webhookSender(address: Secret, { timeoutMs = TIMEOUT_MS } = {}): SendAlert {
  return async (text) => {
    try {
      const response = await fetch(address.reveal(), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ text }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      return response.ok ? { ok: true } : { ok: false, failure: `it answered ${response.status}` };
    } catch (cause) {
      return { ok: false, failure: failureOf(cause) };
    }
  };
}

/** The cause of `fetch()` holds the address: only its code leaves. */
function failureOf(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'it did not answer in time';
  const reason = cause instanceof Error ? cause.cause : undefined;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined;
  return code === undefined || !/^[A-Z_\d]{3,40}$/.test(code)
    ? 'it could not be reached'
    : `it could not be reached (${code})`;
}
