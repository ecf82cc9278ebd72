import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';

/** How a server is loaded to its limit. */
export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections: number;
  /** The only core the load runs on. */
  readonly core: number;
}

/** The program that makes the load: wrk, or autocannon where wrk is not installed. */
export const LOAD_TOOL = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

/** Requests a second that a server answers when asked as fast as it can. Rejects where an answer was an error. */
export async function mostRequests(options: LoadOptions): Promise<number> {
  return LOAD_TOOL === 'wrk' ? byWrk(options) : byAutocannon(options);
}

async function byWrk({ url, headers, seconds, connections, core }: LoadOptions): Promise<number> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const pinned = ['-c', String(core), 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`];
  const said = await output('taskset', [...pinned, ...fields, url]);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(said)?.[1] ?? /Socket errors: (.*)/.exec(said)?.[1];
  if (wrong !== undefined) throw new Error(`Cannot measure ${url}: errors: ${wrong}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]);
}

async function byAutocannon({ url, headers, seconds, connections, core }: LoadOptions): Promise<number> {
  const file = join(import.meta.dirname, 'autocannon-load.ts');
  const args = ['-c', String(core), process.execPath, file, JSON.stringify({ url, headers, seconds, connections })];
  const { perSecond, errors } = JSON.parse(await output('taskset', args)) as { perSecond: number; errors: number };
  if (errors > 0) throw new Error(`Cannot measure ${url}: errors: ${errors}`);
  return perSecond;
}

/** What a program wrote. Rejects where it ended badly. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [said, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`Cannot run ${command}: it ended with ${code}`);
  return said;
}
