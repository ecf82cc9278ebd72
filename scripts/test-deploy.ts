import { packageSteps } from './build-steps.ts';
import { ask, pathOf, runTestFiles } from './run.ts';
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
  await runTestFiles(specs);
}
