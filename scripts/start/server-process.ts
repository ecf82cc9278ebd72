import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../run.ts';

/** A server that runs beside this process. */
export interface ServerProcess {
  /** Asks it to stop; resolves when it has. */
  stop(): Promise<void>;
  /** Resolves when it ends, whoever ended it. */
  readonly ended: Promise<void>;
}

/** What to start, and how to know that it answers. */
export interface ServerOptions {
  readonly name: string;
  /** The built file and its arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Answers 200 once the server is ready. */
  readonly readyUrl: string;
  readonly logFolder: string;
}

const READY_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 100;
const LOG_LINES_SHOWN = 10;

/** Starts a server with its log in a file; resolves once it answers, throws with its last words when it does not. */
export async function startServer({ name, args, env, readyUrl, logFolder }: ServerOptions): Promise<ServerProcess> {
  mkdirSync(logFolder, { recursive: true });
  const logFile = join(logFolder, `${name}.log`);
  const log = createWriteStream(logFile);
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => child.once('exit', () => log.end(resolve)));
  if (!(await answers(readyUrl, child))) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`Cannot start ${name}: it does not answer; its last words:\n${lastLines(logFile)}`);
  }
  return { ended, stop: () => (child.kill('SIGTERM'), ended) };
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
    await sleep(POLL_EVERY_MS);
  }
  return false;
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
}
