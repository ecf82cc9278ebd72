import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../run.ts';
import { UsageError } from '../usage.ts';

/** A server that runs next to this process. The server stops when this process ends for any reason. */
export interface ServerProcess {
  readonly name: string;
  readonly logFile: string;
  /** Resolves once the server responds. Rejects with the end of the server's log if the server doesn't respond. */
  readonly ready: Promise<void>;
  /** Resolves when the server has exited for any reason. */
  readonly ended: Promise<void>;
  /** Asks the server to stop and kills it if it keeps running. Resolves when the server has exited. */
  stop(): Promise<void>;
}

/** How to start a server, and how to check whether it is ready. */
export interface ServerOptions {
  readonly name: string;
  /** The file to run and its arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The URL that returns 200 once the server is ready. */
  readonly readyUrl: string;
  readonly logFolder: string;
}

const READY_WITHIN_MS = 60_000;
const POLL_EVERY_MS = 100;
const KILL_AFTER_MS = 8_000;
const MAX_LOG_LINES = 10;

/** The exit code of a server with an invalid configuration. */
const BAD_USAGE = 2;

const END_WITH_PARENT = join(ROOT, 'scripts/end-with-parent.js');

/**
 * Starts a server that logs to a file. The server has its own process group, so a signal from the terminal reaches only
 * this process.
 */
export function startServer({ name, args, env, readyUrl, logFolder }: ServerOptions): ServerProcess {
  mkdirSync(logFolder, { recursive: true });
  const logFile = join(logFolder, `${name.toLowerCase()}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, ['--conditions=source', END_WITH_PARENT, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    name,
    logFile,
    ended,
    ready: answers(readyUrl, child).then((isReady) => {
      if (isReady) return;
      child.kill('SIGKILL');
      const state = child.exitCode === null ? 'isn’t responding' : 'stopped';
      const reason = `Can’t start the ${name}: it ${state}. The end of its log:\n${endOf(logFile)}`;
      throw child.exitCode === BAD_USAGE ? new UsageError(reason) : new Error(reason);
    }),
    async stop() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
    await sleep(POLL_EVERY_MS);
  }
  return false;
}

function endOf(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-MAX_LOG_LINES).join('\n');
}
