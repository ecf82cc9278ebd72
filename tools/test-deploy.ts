import { spawnSync } from 'node:child_process';
import { ask, ROOT } from '../scripts/run.ts';
import { provide } from './image/container-engine.ts';
import { provideServer, SERVERS } from '../scripts/setup/servers.ts';

const REASON = 'the tests of deploy/';

await main();

/** Starts what lies in `deploy/` with the programs it is for: nginx, Varnish, hitch, Caddy, systemd and Compose. */
async function main(): Promise<void> {
  const [nginx, varnish] = [await provideServer(SERVERS.nginx), await provideServer(SERVERS.varnish)];
  if (nginx === undefined || varnish === undefined) throw new Error('Cannot test deploy/: nginx or Varnish is missing');
  await provide(REASON, 'hitch', 'caddy', 'openssl');
  if (!ask('docker', ['compose', 'version']).ok) await provide(REASON, 'docker-compose');
  const specs = ['proxies', 'rolling-restart', 'systemd', 'compose'].map((name) => `deploy/${name}.spec.ts`);
  const { status } = spawnSync(process.execPath, ['--conditions=source', '--test', ...specs], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, [SERVERS.nginx.variable]: nginx, [SERVERS.varnish.variable]: varnish },
  });
  process.exitCode = status ?? 1;
}
