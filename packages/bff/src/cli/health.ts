import { get } from 'node:http';
import { isIPv6 } from 'node:net';

/** Shorter than the timeout of common container health checks. */
const TIMEOUT_MS = 5_000;

/** Longer bodies are cut. */
const MAX_BODY_BYTES = 4_096;

/** Whether the running instance is ready, in a line for the operator. */
export interface Health {
  readonly isReady: boolean;
  readonly line: string;
}

/** Requests `/readyz` of the instance that listens on `port` and `host`; never rejects. */
export async function checkHealth({ port, host }: { readonly port: number; readonly host: string }): Promise<Health> {
  const url = `http://${reachable(host)}:${port}/readyz`;
  try {
    const { status, body } = await fetchReadiness(url);
    return status === 200 ? { isReady: true, line: 'Ready' } : { isReady: false, line: reasonIn(body, url, status) };
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return { isReady: false, line: `Cannot reach ${url} (${code})` };
  }
}

/** The host to connect to if a server listens on `host`: loopback if that means all addresses. */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}

function fetchReadiness(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    get(url, { agent: false, signal }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body = (body + chunk).slice(0, MAX_BODY_BYTES)));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    }).on('error', reject);
  });
}

function reasonIn(body: string, url: string, status: number): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Something else listens there.
  }
  return `${url} answers ${status}`;
}
