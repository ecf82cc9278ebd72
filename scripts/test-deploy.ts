import { spawnSync } from 'node:child_process';
import { packageSteps } from './build-steps.ts';
import { ask, pathOf, ROOT } from './run.ts';
import { provide as providePrograms } from './setup/programs.ts';
import { reportFailures, runSteps } from './steps.ts';
import { provide } from '../packages/testkit/src/images/container-engine.ts';

const REASON = 'the tests for deploy/';

await main();

/** Builds the packages, then tests the files in `deploy/` with the programs that use them. */
async function main(): Promise<void> {
  const missing = await providePrograms(['nginx', 'varnish', 'redis']);
  if (missing.size > 0) throw new Error(`Cannot test deploy/: ${[...missing].join(', ')} not found`);
  await provide(REASON, 'hitch', 'caddy', 'openssl');
  if (pathOf('promtool') === undefined) await provide(REASON, 'prometheus');
  if (!ask('docker', ['compose', 'version']).ok) await provide(REASON, 'docker-compose');
  const failures = await runSteps(packageSteps(), { stopAtFailure: true });
  if (failures.length > 0) return reportFailures(failures);
  const specs = ['proxies', 'nginx', 'rolling-restart', 'systemd', 'compose', 'monitoring', 'troubles'].map(
    (name) => `e2e/packaging/${name}.test.ts`,
  );
  // `--test-force-exit` is needed because Node 24.21 can hang in `CleanupHandles()` at the end of a process that has
  // closed many sockets.
  const { status } = spawnSync(process.execPath, ['--conditions=source', '--test', '--test-force-exit', ...specs], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
