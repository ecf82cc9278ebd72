import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** The variable that tells every test which Redis server to start. */
const REDIS_VARIABLE = 'PULSE_REDIS_SERVER';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** How long a server may take to start listening. */
const TIMEOUT_MS = 120_000;

/** The Redis or Valkey server to start. Undefined if none is installed on this machine. */
export function redisProgram(): string | undefined {
  const named = process.env[REDIS_VARIABLE];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Starts a separate Redis server on a free loopback port. Resolves once it responds. After a restart, it has the same
 * port but no data.
 */
export async function startRedis(options: readonly string[] = []) {
  const program = redisProgram();
  if (program === undefined) throw new Error('Can’t start Redis: neither redis-server nor valkey-server was found');
  const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'pulse-redis-'))];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  let child = await started(program, [...args, ...options], port);
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await ended;
  };
  const close = async (): Promise<void> => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    /** Suspends the server until `resume()` is called. Its connections stay open. */
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    /** Kills the server immediately, with no chance to clean up. */
    kill,
    /** Restarts the server with no data. */
    restart: async () => void (child = await started(program, [...args, ...options], port)),
    /** Runs a command over a separate connection. Resolves to the raw reply. */
    command: (...words: string[]) => commandAt(port, words),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

async function started(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  const until = performance.now() + TIMEOUT_MS;
  // A server that requires a password also responds, with an error.
  while (!/^(\+PONG|-NOAUTH)/.test(await commandAt(port, ['PING']).catch(() => ''))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error('Can’t start Redis: it doesn’t respond');
    }
    await pause(20);
  }
  return child;
}

/** Encodes RESP itself, so that the tests' commands don't share code with the product's. */
function commandAt(port: number, words: readonly string[]): Promise<string> {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = createConnection(
      port,
      '127.0.0.1',
      () => void socket.write(`*${words.length}\r\n${parts.join('')}`),
    );
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString());
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('Can’t query Redis: the connection was closed')));
  });
}
