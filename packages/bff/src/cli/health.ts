import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import { ConfigError, readVariables } from '../config.ts';
import { EXIT, print, type Shell } from './output.ts';

/** The timeout is shorter than the timeouts of common container health checks. */
const TIMEOUT_MS = 5_000;

/** Prints whether the instance that the environment describes is ready. */
export async function health(shell: Shell): Promise<void> {
  const { PORT: port, HOST: host } = readVariables(shell.env, 'PORT', 'HOST');
  if (port === 0) throw new ConfigError(['PORT: must be the port that the instance listens on, not 0']);
  const { isReady, line } = await checkHealth({ port, host });
  print(isReady ? shell.stdout : shell.stderr, line);
  shell.exitCode = isReady ? EXIT.done : EXIT.failed;
}

/**
 * Reports whether the instance listening on `port` and `host` is ready, with a line that tells the operator why. Never
 * rejects.
 */
async function checkHealth({ port, host }: { readonly port: number; readonly host: string }) {
  const url = `http://${reachable(host)}:${port}/readyz`;
  try {
    // fetch() blocks the same ports as browsers, such as 6000.
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode === 200) return { isReady: true, line: 'Ready' };
    return { isReady: false, line: errorIn(body) ?? `${url} returned ${response.statusCode}` };
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return { isReady: false, line: `Can’t reach ${url} (${code})` };
  }
}

/** The error in a BFF's response; undefined if the response comes from another program. */
function errorIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The host to connect to in order to reach a server that listens on `host`: loopback if `host` means all interfaces.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
