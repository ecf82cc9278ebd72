import { buildSteps } from './build-steps.ts';
import { reportFailures, runSteps } from './steps.ts';

reportFailures('Build', await runSteps(buildSteps()));
