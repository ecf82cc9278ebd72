import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { until } from './until.ts';

/** A server to start in a separate process. */
export interface ChildOptions {
  readonly title: string;
  /** The program to run. @default this Node */
  readonly command?: string;
  readonly args: readonly string[];
  /** Its environment variables, in addition to those from `inherited()`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Its working directory. */
  readonly cwd?: string;
  /** The CPU core to run it on. */
  readonly core?: number;
  /** Whether to discard its output, so that no time is spent reading it. */
  readonly isQuiet?: boolean;
  /** How many of its last output lines to keep. @default 60 */
  readonly maxLines?: number;
  /** Whether it gets its own process group, which is stopped as a whole. */
  readonly isGroup?: boolean;
  /** Returns whether a line of its output means that it is listening. */
  readonly isReady?: (line: string) => boolean;
  /**
   * A URL that responds with a status below 500 once the server is listening. Without `readyUrl` and `isReady`, the
   * server counts as ready as soon as it runs.
   */
  readonly readyUrl?: string;
}

/** A server that runs in a separate process. */
export interface ChildServer {
  readonly pid: number;
  /** The line for which `isReady` returned true. */
  readonly readyLine: string;
  /** The last lines that it wrote. */
  readonly lastLines: readonly string[];
  /** The exit code, once it has exited. Null if a signal killed it. */
  readonly ended: Promise<number | null>;
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void;
  /** The exit code. Null if it is still running or a signal killed it. */
  readonly exitCode: number | null;
  /** Stops it with the signal that the system would send and waits until it has exited. */
  stop(): Promise<void>;
  /** Kills it immediately, with no chance to clean up. */
  kill(): Promise<void>;
}

/** How many output lines to keep for each process, unless the options override it. */
const MAX_LINES = 60;

/** The time limit for a server to become ready or to stop. */
const TIMEOUT_MS = 60_000;

/**
 * Starts a process and waits until it is ready. If it exits before that, rejects with its last lines. The child process
 * doesn't outlive this one.
 */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const child = spawnPinned(options);
  const signal = (name: NodeJS.Signals) => send(child, name, options.isGroup === true);
  const killWithUs = () => signal('SIGKILL');
  process.once('exit', killWithUs);
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  void ended.then(() => process.off('exit', killWithUs));
  const end = async (name: NodeJS.Signals) => {
    const forced = setTimeout(() => signal('SIGKILL'), TIMEOUT_MS);
    signal(name);
    await ended;
    clearTimeout(forced);
  };
  const lastLines: string[] = [];
  const readyLine = await untilReady(child, options, lastLines).catch(async (error: unknown) => {
    if (child.pid !== undefined) await end('SIGKILL');
    throw error;
  });
  return {
    pid: child.pid ?? 0,
    readyLine,
    lastLines,
    ended,
    signal,
    get exitCode() {
      return child.exitCode;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** This process's variables that a child gets: `PATH` and the compile cache, which halves its startup time. */
export function inherited(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}

function spawnPinned({ command = process.execPath, args, env, cwd, core, isQuiet, isGroup = false }: ChildOptions) {
  const output = isQuiet === true ? 'ignore' : 'pipe';
  const options: SpawnOptions = {
    env: { ...inherited(), ...env },
    cwd,
    stdio: ['ignore', output, output],
    detached: isGroup,
  };
  if (core === undefined) return spawn(command, args, options);
  return spawn('taskset', ['-c', String(core), command, ...args], options);
}

/**
 * Resolves to the line that `isReady` accepts. Continues to store the last lines in `lastLines` after the promise has
 * resolved.
 */
async function untilReady(child: ChildProcess, options: ChildOptions, lastLines: string[]): Promise<string> {
  const { title, isReady, readyUrl, maxLines = MAX_LINES } = options;
  let readyLine: string | undefined;
  readLines(child, (line) => {
    lastLines.push(line);
    if (lastLines.length > maxLines) lastLines.shift();
    if (isReady?.(line) === true) readyLine ??= line;
  });
  const failed = new Promise<never>((_resolve, reject) => {
    const fail = (why: string) => reject(new Error(`Can’t start ${title}: ${why}\n${lastLines.join('\n')}`));
    child.once('error', ({ message }) => fail(message));
    child.once('close', (code) => fail(`it ended with ${code}`));
  });
  const spawned = new Promise<void>((resolve) => child.once('spawn', () => resolve()));
  const isListening = () => hasEnded(child) || ((!isReady || readyLine !== undefined) && isAnswering(readyUrl));
  const ready = spawned.then(() =>
    until(`${title} is ready`, isListening, { withinMs: TIMEOUT_MS, everyMs: 25, lines: () => lastLines }),
  );
  await Promise.race([ready, failed]);
  // The process may have just exited.
  if (hasEnded(child)) await failed;
  return readyLine ?? '';
}

/** The output of a program and how it exited. */
export interface Ended {
  /** Null if a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. `input` is its standard input. */
export async function runChild(options: Omit<ChildOptions, 'title'>, input = ''): Promise<Ended> {
  const child = spawn(options.command ?? process.execPath, options.args, {
    env: { ...inherited(), ...options.env },
    cwd: options.cwd,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

async function isAnswering(url: string | undefined): Promise<boolean> {
  if (url === undefined) return true;
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await answer.arrayBuffer();
  return answer.status < 500;
}

function send(child: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  if (hasEnded(child) || child.pid === undefined) return;
  if (isGroup) process.kill(-child.pid, signal);
  else child.kill(signal);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function readLines({ stdout, stderr }: ChildProcess, take: (line: string) => void): void {
  for (const stream of [stdout, stderr]) if (stream) createInterface({ input: stream }).on('line', take);
}
