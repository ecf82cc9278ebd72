import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A server to start as a process. */
export interface ChildOptions {
  readonly title: string;
  /** Program to run. @default this Node */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The only core it may run on. */
  readonly core?: number;
  /** Throws its output away, so that nobody's time goes into reading it; it counts as ready once it runs. */
  readonly isQuiet?: boolean;
  /** Returns whether a line of its output means that it listens; without it the process counts as ready once it runs. */
  readonly isReady?: (line: string) => boolean;
}

/** A server that runs as a process. */
export interface ChildServer {
  readonly pid: number;
  /** The line that said it was ready. */
  readonly readyLine: string;
  /** The last lines it wrote. */
  readonly lastLines: readonly string[];
  /** True once the process has ended. */
  readonly hasEnded: boolean;
  /** The exit code; null while it runs, and if a signal ended it. */
  readonly exitCode: number | null;
  /** Ends it as the system would, and waits until it has. */
  stop(): Promise<void>;
  /** Ends it with no chance to tidy up. */
  kill(): Promise<void>;
}

/** How many of a child's lines are kept. */
const MAX_LINES = 60;

/** How long a server may take to be ready, or to stop. */
const TIMEOUT_MS = 30_000;

/** Starts a process and waits until it is ready. Rejects with its last lines where it ends before. */
export async function startChild(options: ChildOptions): Promise<ChildServer> {
  const child = spawnPinned(options);
  const lastLines: string[] = [];
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const readyLine = await untilReady(child, options, lastLines);
  const end = async (signal: NodeJS.Signals) => {
    const forced = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    if (!hasEnded(child)) child.kill(signal);
    await ended;
    clearTimeout(forced);
  };
  return {
    pid: child.pid!,
    readyLine,
    lastLines,
    get hasEnded() {
      return hasEnded(child);
    },
    get exitCode() {
      return child.exitCode;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function spawnPinned({
  command = process.execPath,
  args,
  env = {},
  core,
  isQuiet = false,
}: ChildOptions): ChildProcess {
  const output = isQuiet ? 'ignore' : 'pipe';
  const how: SpawnOptions = { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', output, output] };
  if (core === undefined) return spawn(command, args, how);
  return spawn('taskset', ['-c', String(core), command, ...args], how);
}

/** Resolves to the line that says the process is ready; keeps its last lines in `lastLines`, then and later. */
function untilReady(child: ChildProcess, { title, isReady }: ChildOptions, lastLines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(slow);
      reject(new Error(`Cannot start ${title}: ${why}\n${lastLines.join('\n')}`));
    };
    const slow = setTimeout(() => fail(`not ready after ${TIMEOUT_MS} ms`), TIMEOUT_MS);
    const settle = (line: string) => {
      clearTimeout(slow);
      resolve(line);
    };
    child.once('error', ({ message }) => fail(message));
    child.once('close', (code) => fail(`it ended with ${code}`));
    if (isReady === undefined) child.once('spawn', () => settle(''));
    readLines(child, (line) => {
      lastLines.push(line);
      if (lastLines.length > MAX_LINES) lastLines.shift();
      if (isReady?.(line) === true) settle(line);
    });
  });
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function readLines({ stdout, stderr }: ChildProcess, take: (line: string) => void): void {
  for (const stream of [stdout, stderr]) if (stream) createInterface({ input: stream }).on('line', take);
}
