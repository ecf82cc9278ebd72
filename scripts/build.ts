import { buildSteps } from './build-steps.ts';
import { closeWith, runAll } from './steps.ts';

closeWith('Build', await runAll(buildSteps()));
