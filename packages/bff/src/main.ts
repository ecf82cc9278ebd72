#!/usr/bin/env node
import { nodeFault } from './lib/node-version.ts';

const fault = nodeFault('pulse-bff');

if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  // This module is imported only now, because an older Node couldn't even load it.
  const { runProgram } = await import('./cli/program.ts');
  await runProgram();
}
