import { buildSteps, emptyStep } from './build-steps.ts';
import { reportFailures, runSteps } from './steps.ts';

reportFailures(await runSteps([emptyStep(), ...buildSteps()]));
