import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';

/** The timeout is shorter than the timeouts of common container health checks. */
const TIMEOUT_MS = 5_000;

/**
 * Reports whether the instance that listens on `port` and `host` is ready, also as a line for the operator. Never
 * rejects.
 */
export async function checkHealth({ port, host }: { readonly port: number; readonly host: string }) {
  const url = `http://${reachable(host)}:${port}/readyz`;
  try {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode === 200) return { isReady: true, line: 'Ready' };
    const [, reason = `${url} returned ${response.statusCode}`] = /"error":"((?:[^"\\]|\\.)*)"/.exec(body) ?? [];
    return { isReady: false, line: JSON.parse(`"${reason}"`) as string };
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return { isReady: false, line: `Can’t reach ${url} (${code})` };
  }
}

/**
 * The host to connect to in order to reach a server that listens on `host`: loopback if `host` means all interfaces.
 */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
