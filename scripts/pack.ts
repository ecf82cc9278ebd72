import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { emptyStep, packageSteps } from './build-steps.ts';
import { packStep } from './pnpm.ts';
import { publishedPackages, tarballOf } from './release/published-packages.ts';
import { reportFailures, runSteps } from './steps.ts';
import { readArguments, runMain, UsageError } from './usage.ts';

/** The packages that an application with a mounted BFF installs: the BFF, the card, and the packages that the BFF needs. */
const PACKAGES = ['contract', 'token', 'doctor', 'widget', 'bff'];

await runMain(async () => {
  const { values, positionals } = readArguments({
    'skip-build': { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) throw new UsageError('Usage: npm run pack -- FOLDER');
  const folder = resolve(name);
  mkdirSync(folder, { recursive: true });
  const build = values['skip-build'] ? [] : [emptyStep(), ...packageSteps()];
  const packages = values.all ? publishedPackages() : PACKAGES;
  const failures = await runSteps([...build, ...packages.map((one) => packStep(one, folder))], { stopAtFailure: true });
  reportFailures(failures);
  if (failures.length > 0) return;
  const files = packages.map((one) => join(folder, tarballOf(one)));
  console.log(`\nIn your application's folder, run:\nnpm install ${files.join(' ')}`);
});
