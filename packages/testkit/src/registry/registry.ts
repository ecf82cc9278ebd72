import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { startChild } from '../child-process.ts';
import { freePort } from '../free-port.ts';
import { ask } from '../system/ask.ts';
import { runIn } from './run-in.ts';

/** These 320 packages are installed only here, because they aren't needed to build or run Pulse Card. */
const MANIFEST = {
  private: true,
  // renovate: datasource=npm depName=verdaccio
  dependencies: { verdaccio: '6.10.4' },
  // Verdaccio requires node-fetch's `cjs` tag, which some registry mirrors lack.
  overrides: { 'node-fetch': '2.7.0' },
};

/** A package registry on this machine. It forwards requests for packages that it doesn't contain. */
export interface Registry {
  readonly url: string;
  /** The environment variables that make npm and pnpm use it and ignore the user's own settings. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts Verdaccio with its storage in `folder`. Other packages come from the registry that npm is configured to use. */
export async function startRegistry(folder: string): Promise<Registry> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'verdaccio.yaml');
  writeFileSync(config, stringify(configOf(folder)));
  const userConfig = join(folder, 'npmrc');
  // Anyone may publish here, but npm doesn't try to publish without a token.
  writeFileSync(
    userConfig,
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=anyone\nfund=false\naudit=false\nupdate-notifier=false\n`,
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  await runIn(folder, 'npm', ['install', '--omit=dev']);
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio');
  const args = [program, '--config', config, '--listen', `127.0.0.1:${port}`];
  const server = await startChild({ title: 'Verdaccio', args, env: process.env, readyUrl: `${url}-/ping` });
  const env = {
    npm_config_registry: url,
    npm_config_userconfig: userConfig,
    npm_config_cache: join(folder, 'npm-cache'),
  };
  return { url, env, close: () => server.stop() };
}

/** `PATH` with this folder first. */
export function pathWith(folder: string): string {
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

function configOf(folder: string): unknown {
  const upstream = ask('npm', ['config', 'get', 'registry']).stdout;
  return {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    uplinks: { upstream: { url: upstream, cache: true, timeout: '60s', maxage: '1h' } },
    packages: {
      '@pulse-card/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'upstream' },
    },
    max_body_size: '50mb',
    log: { type: 'file', path: join(folder, 'verdaccio.log'), level: 'warn' },
  };
}
