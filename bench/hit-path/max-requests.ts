import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** How to load a server to its limits. */
export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections: number;
  /** The CPU core that the load generator is pinned to. */
  readonly core: number;
}

/**
 * The number of requests per second that a server can handle if wrk sends them as fast as possible. Rejects if a
 * response is an error.
 */
export async function maxRequests({ url, headers, seconds, connections, core }: LoadOptions): Promise<number> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const pinned = ['-c', String(core), 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`];
  const printed = await output('taskset', [...pinned, ...fields, url]);
  const errors = /Non-2xx or 3xx responses: (\d+)/.exec(printed)?.[1] ?? /Socket errors: (.*)/.exec(printed)?.[1];
  if (errors !== undefined) throw new Error(`Can’t measure ${url}: errors: ${errors}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1]);
}

/** A program's output. Rejects if the program fails. */
async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [printed, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`Can’t run ${command}: it ended with ${code}`);
  return printed;
}
