import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@pulse-card/contract';

/** The handler's response: a body, or the reason why there is no body. */
export type HandlerAnswer =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly error: string; readonly code: ErrorCode };

/** Requests a path. Rejects with the signal's reason if the signal is aborted. */
export type Ask = (path: string) => Promise<HandlerAnswer>;

export interface HandlerClientOptions {
  /** How long to wait in total for a path if the budget doesn't allow its call yet, in ms. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
}

/** Creates a client of `handler` in this process. The requests go through a pair of streams, so no port is needed. */
export function handlerClient(handler: RequestListener, { maxWaitMs, signal }: HandlerClientOptions): Ask {
  const server = createServer(handler);
  return async (path) => {
    for (let leftMs = maxWaitMs; ;) {
      signal.throwIfAborted();
      const answer = await get(path);
      const body = await buffer(answer);
      if (answer.statusCode === 200) return { ok: true, body };
      const { error, code } = JSON.parse(body.toString()) as { error: string; code: ErrorCode };
      const waitMs = Number(answer.headers['retry-after'] ?? 1) * 1_000;
      if (code !== 'upstream_rate_limited' || leftMs <= 0) return { ok: false, error, code };
      leftMs -= waitMs;
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };

  function get(path: string): Promise<IncomingMessage> {
    const [mine, its] = duplexPair();
    server.emit('connection', its);
    return new Promise((resolve, reject) => {
      const request = httpRequest({ path, createConnection: () => mine, headers: { Connection: 'close' } }, resolve);
      request.on('error', reject).end();
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }
}
