import type { IncomingMessage } from 'node:http';
import type { CacheScope } from './cache-scope.ts';
import type { Handler, Locals, RequestRecord } from './locals.ts';

/** Receives the facts about each response. */
export type Recorder = (record: RequestRecord) => void;

export interface RecordOptions {
  /** Called in order after each response. */
  readonly recorders: readonly Recorder[];
  /** The key of the client that a request is counted for. */
  readonly clientOf: (req: IncomingMessage) => string;
  /** Whether a proxy is trusted to name the client. */
  readonly isProxy: (address: string, hop: number) => boolean;
  readonly scope: CacheScope;
}

/** Sets a response's state before any rule has checked the request: nothing may be seen, and no cache may store it. */
export function recordRequest({ recorders, clientOf, isProxy, scope }: RecordOptions): Handler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const client = clientOf(req);
    const { origin, referer, forwarded } = req.headers;
    const isForwarded = (forwarded ?? req.headers['x-forwarded-for']) !== undefined;
    const isUntrustedProxy = isForwarded && !isProxy(req.socket.remoteAddress ?? '', 0);
    const [path = ''] = req.originalUrl.split('?', 1);
    const facts = { route: 'none', method: req.method, path, client, origin, referer, isUntrustedProxy, sourceIds: [] };
    const record: RequestRecord = { ...facts, status: 0, durationMs: 0 };
    // The application's own `locals` stay, for `authorize` and its log, but none of them is taken for one of ours.
    const { reader: _reader, vary: _vary, ...theirs } = (res.locals as Partial<Locals> | undefined) ?? {};
    res.locals = { ...theirs, sources: new Set(), viewer: client, scope, record };
    if (recorders.length > 0)
      res.once('finish', () => {
        const route = req.route as { readonly path: string } | undefined;
        record.route = route?.path ?? record.route;
        record.status = res.statusCode;
        record.durationMs = performance.now() - startedAt;
        for (const receive of recorders) receive(record);
      });
    next();
  };
}
