import { spawnSync } from 'node:child_process';
import { ask, ROOT } from './run.ts';
import { provide } from './image/container-engine.ts';
import { NGINX_VARIABLE, provideNginx, provideVarnish, VARNISH_VARIABLE } from './setup/fronts.ts';

await main();

/** Starts what lies in `deploy/` with the programs it is for: nginx, Varnish, hitch, Caddy, systemd and Compose. */
async function main(): Promise<void> {
  const [nginx = 'nginx', varnish = 'varnishd'] = [await provideNginx(), await provideVarnish()];
  await provide('hitch', 'caddy', 'openssl');
  if (!ask('docker', ['compose', 'version']).ok) await provide('docker-compose');
  const specs = ['proxies', 'systemd', 'compose'].map((name) => `deploy/${name}.spec.ts`);
  const { status } = spawnSync(process.execPath, ['--conditions=source', '--test', ...specs], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, [NGINX_VARIABLE]: nginx, [VARNISH_VARIABLE]: varnish },
  });
  process.exitCode = status ?? 1;
}
