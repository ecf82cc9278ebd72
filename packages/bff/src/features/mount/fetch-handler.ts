import inject from 'light-my-request';
import type { Handler } from '../../http/handler.ts';

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: readonly number[] = [204, 304];

/** Headers that apply only to a single connection. A `Response` can't have such headers (RFC 9110 section 7.6.1). */
const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

/** The methods of the public routes. Others get a 405. */
type Method = 'GET' | 'HEAD' | 'OPTIONS';

/**
 * Creates a fetch-style handler from a Node handler, for hosts without a Node server. `publicUrl` is the address of the
 * mount. The path in this URL is removed from each request's path. Bodies aren't compressed, because hosts compress
 * them, and Next.js drops `Content-Encoding`.
 */
export function fetchHandler(
  opening: () => Promise<Handler>,
  publicUrl: string,
): (request: Request) => Promise<Response> {
  const mountPath = new URL(publicUrl).pathname.replace(/\/$/, '');
  return async (request) => {
    const handle = await opening();
    const { statusCode, headers, rawPayload } = await inject(handle, {
      method: request.method as Method,
      url: pathBelow(mountPath, new URL(request.url)),
      headers: Object.fromEntries([...request.headers].filter(([name]) => name !== 'accept-encoding')),
    });
    const body = WITHOUT_BODY.includes(statusCode) ? null : new Uint8Array(rawPayload);
    return new Response(body, { status: statusCode, headers: headersOf(headers) });
  };
}

/** Returns the path and query of an address, without the path of the mount. */
function pathBelow(mountPath: string, { pathname, search }: URL): string {
  const isBelow = pathname === mountPath || pathname.startsWith(`${mountPath}/`);
  return `${(isBelow ? pathname.slice(mountPath.length) : pathname) || '/'}${search}`;
}

function headersOf(sent: NodeJS.Dict<number | string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(sent)) {
    if (OF_CONNECTION.includes(name)) continue;
    for (const value of [values].flat()) headers.append(name, String(value));
  }
  return headers;
}
