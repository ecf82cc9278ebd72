import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../cli/program.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** How a command exited. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A server that runs as a separate process. */
export interface ServingProcess {
  url: string;
  altUrl: string;
  /** Closes the other end of its standard output, as if the program reading it had exited. */
  stopReading(): void;
  /** Sends a signal and waits until the process has exited. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** Runs `pulse-service` to completion in a separate process with `args` and only the variables in `env`. */
export async function runProcess(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  return endOf(start(args, env));
}

/**
 * Runs a `pulse-service` command in this process, which takes a tenth of the time. The command must not start a server.
 */
export async function runCommand(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const ended = { stdout: '', stderr: '' };
  const code = await runProgram(args, env, {
    result: (line) => void (ended.stdout += `${line}\n`),
    note: (line) => void (ended.stderr += `${line}\n`),
  });
  return { code, ...ended };
}

/** Starts `pulse-service` and waits until it is listening. */
export async function serveProcess(args: readonly string[], env: Record<string, string>): Promise<ServingProcess> {
  const child = start(args, { HOST: '127.0.0.1', PORT: '0', ALT_PORT: '0', ...env });
  const ended = endOf(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url, altUrl } = JSON.parse(line) as Record<string, string>;
    if (msg !== 'listening' || url === undefined || altUrl === undefined) continue;
    return {
      url,
      altUrl,
      stopReading: () => void child.stdout.destroy(),
      end: (signal) => {
        child.kill(signal);
        return ended;
      },
    };
  }
  throw new Error(`Can’t serve: ${(await ended).stderr}`);
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function start(args: readonly string[], env: Record<string, string>): Child {
  return spawn(process.execPath, ['--conditions=source', MAIN, ...args], {
    env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function endOf(child: Child): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  await once(child, 'close');
  return { code: child.exitCode, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
