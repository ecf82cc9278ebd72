import { packageSteps } from './build-steps.ts';
import { ask, pathOf } from '@pulse-card/testkit/system/ask';
import { runTestFiles } from './run.ts';
import { provide as providePrograms } from '@pulse-card/testkit/system/programs';
import { reportFailures, runSteps } from './steps.ts';
import { provide } from '@pulse-card/testkit/images/container-engine';

const REASON = 'the tests for deploy/';

await main();

/** Builds the packages, then tests the files in `deploy/` with the programs that use them. */
async function main(): Promise<void> {
  const missing = providePrograms(['nginx', 'varnish', 'redis']);
  if (missing.size > 0) throw new Error(`Cannot test deploy/: ${[...missing].join(', ')} not found`);
  provide(REASON, 'hitch', 'caddy', 'openssl');
  if (pathOf('promtool') === undefined) provide(REASON, 'prometheus');
  if (!ask('docker', ['compose', 'version']).ok) provide(REASON, 'docker-compose');
  const failures = await runSteps(packageSteps(), { stopAtFailure: true });
  if (failures.length > 0) return reportFailures(failures);
  const specs = ['proxies', 'nginx', 'rolling-restart', 'systemd', 'compose', 'monitoring', 'troubles'].map(
    (name) => `e2e/packaging/${name}.test.ts`,
  );
  await runTestFiles(specs);
}
