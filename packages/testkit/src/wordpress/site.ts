import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

/** The folder in which Debian's package installs WordPress. */
export const WORDPRESS_FOLDER = '/usr/share/wordpress';

/** A WordPress site with its own database. */
export interface WordPressSite extends AsyncDisposable {
  readonly origin: string;
  /** Publishes a post as an author, a role that isn't allowed to use unfiltered HTML. Resolves to its URL. */
  publish(content: string): Promise<string>;
}

/** Starts WordPress on `port`. It may send requests to this machine's BFF on `bffPort`. */
export async function openWordPress(port: number, bffPort: number): Promise<WordPressSite> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-wordpress-'));
  const site = join(folder, 'site');
  const origin = `http://localhost:${port}`;
  const socket = join(folder, 'db.sock');
  const env = {
    ...process.env,
    TRIAL_DB_SOCKET: socket,
    TRIAL_URL: origin,
    TRIAL_FOLDER: site,
    TRIAL_BFF_PORT: String(bffPort),
    PHP_CLI_SERVER_WORKERS: '4',
  };
  const php = (...args: readonly string[]) => ['-d', 'display_errors=0', ...args];
  const database = startDatabase(folder, socket);
  await until('MariaDB answers', () => {
    execFileSync('mariadb', [...asRoot(socket), '-e', 'CREATE DATABASE wordpress'], { stdio: 'ignore' });
    return true;
  });

  cpSync(WORDPRESS_FOLDER, site, { recursive: true, dereference: true });
  mkdirSync(join(site, 'wp-content/mu-plugins'), { recursive: true });
  cpSync(join(import.meta.dirname, 'wp-config.php'), join(site, 'wp-config.php'));
  cpSync(join(import.meta.dirname, 'trial-plugin.php'), join(site, 'wp-content/mu-plugins/trial.php'));
  const install = php(join(import.meta.dirname, 'install.php'));
  const password = execFileSync('php', install, { env, encoding: 'utf8' }).trim();
  // The workers stop only when their whole process group does.
  const server = spawn('php', php('-S', `localhost:${port}`, '-t', site), { env, stdio: 'ignore', detached: true });
  await until('WordPress answers', () => fetch(origin));

  return {
    origin,
    async publish(content) {
      const response = await fetch(`${origin}/?rest_route=/wp/v2/posts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(`author:${password}`)}` },
        body: JSON.stringify({ title: 'A post', content, status: 'publish' }),
      });
      if (!response.ok) throw new Error(`Can’t publish: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { link: string }).link;
    },
    async [Symbol.asyncDispose]() {
      if (server.pid !== undefined) process.kill(-server.pid);
      database.kill();
      await once(database, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function asRoot(socket: string): string[] {
  return ['--no-defaults', `--socket=${socket}`, '--user=root'];
}

function startDatabase(folder: string, socket: string): ChildProcess {
  const data = `--datadir=${join(folder, 'db')}`;
  const login = '--auth-root-authentication-method=normal';
  execFileSync('mariadb-install-db', ['--no-defaults', '--user=root', data, login, '--skip-test-db'], {
    stdio: 'ignore',
  });
  const args = ['--no-defaults', '--user=root', data, `--socket=${socket}`, '--skip-networking'];
  return spawn('mariadbd', args, {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  });
}
