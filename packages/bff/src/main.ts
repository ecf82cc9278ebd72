#!/usr/bin/env node
import { nodeFault } from '@pulse-card/contract/node-version';
import { listenToSignals } from './cli/signals.ts';

listenToSignals();
const fault = nodeFault('pulse-bff', process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  // This module is imported only now, because an older Node couldn't even load it.
  const { runProgram } = await import('./cli/program.ts');
  // Handles that were opened before an error must not keep the process alive.
  if (!(await runProgram(process.argv.slice(2), process))) process.exit();
}
