import { buildSteps, emptyStep } from './build-steps.ts';
import { reportFailures, runSteps } from './steps.ts';
import { readArguments, runMain } from './usage.ts';

await runMain(async () => {
  readArguments({});
  reportFailures(await runSteps([emptyStep(), ...buildSteps()]));
});
