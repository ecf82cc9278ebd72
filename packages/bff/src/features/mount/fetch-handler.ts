import type { RequestListener } from 'node:http';
import inject from 'light-my-request';

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: readonly number[] = [204, 304];

/** Headers that apply only to a single connection (RFC 9110, 7.6.1). A `Response` can't have them. */
const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Creates a fetch-style handler for hosts without a Node server. Bodies aren't compressed, because hosts compress them,
 * and Next.js drops `Content-Encoding`.
 */
export function fetchHandler(listener: () => Promise<RequestListener>): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { statusCode, headers, rawPayload } = await inject(await listener(), {
      method: request.method as 'GET',
      url: `${pathname}${search}`,
      headers: Object.fromEntries([...request.headers].filter(([name]) => name !== 'accept-encoding')),
    });
    const body = WITHOUT_BODY.includes(statusCode) ? null : new Uint8Array(rawPayload);
    return new Response(body, { status: statusCode, headers: headersOf(headers) });
  };
}

function headersOf(sent: NodeJS.Dict<number | string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(sent)) {
    if (OF_CONNECTION.includes(name)) continue;
    for (const value of [values].flat()) headers.append(name, String(value));
  }
  return headers;
}
