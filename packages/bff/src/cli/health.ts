import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import { ConfigError, readVariables } from '../config.ts';
import { EXIT, print, type Shell } from './output.ts';

/** The timeout is shorter than the timeouts of common container health checks. */
const TIMEOUT_MS = 5_000;

/** How many characters of an error response are printed. Another server might send a whole page. */
const MAX_PRINTED_CHARACTERS = 1_000;

/** Prints whether the instance that the environment describes is ready. */
export async function health(shell: Shell): Promise<void> {
  const { PORT: port, HOST: host } = readVariables(shell.env, 'PORT', 'HOST');
  if (port === 0) throw new ConfigError(['PORT: must be the port that the instance listens on, not 0']);
  const fault = await faultOf(`http://${reachable(host)}:${port}/readyz`);
  print(fault === undefined ? shell.stdout : shell.stderr, fault ?? 'Ready');
  shell.exitCode = fault === undefined ? EXIT.done : EXIT.failed;
}

/** Why the instance isn't ready, for the operator; undefined if it is ready. Never rejects. */
async function faultOf(url: string): Promise<string | undefined> {
  try {
    // fetch() blocks the same ports as browsers, such as 6000.
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = (await text(response)).slice(0, MAX_PRINTED_CHARACTERS);
    return response.statusCode === 200 ? undefined : `${url} returned ${response.statusCode}: ${body}`;
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return `Can’t reach ${url} (${code})`;
  }
}

/**
 * The host to connect to in order to reach a server that listens on `host`: loopback if `host` means all interfaces,
 * because Windows can't connect to 0.0.0.0.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
