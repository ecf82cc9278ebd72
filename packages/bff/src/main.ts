#!/usr/bin/env node
import { nodeFault } from './lib/node-version.ts';

const fault = nodeFault('pulse-bff');

if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  // Imported only now: an older Node could not even load it.
  const { runProgram } = await import('./cli/program.ts');
  await runProgram();
}
