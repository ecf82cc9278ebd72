#!/usr/bin/env node
import { nodeFault } from './lib/node-version.ts';
import { endAtSignals, survivesHangup } from './cli/signals.ts';

const fault = nodeFault('pulse-bff');
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  const words = process.argv.slice(2);
  endAtSignals({ survivesHangup: survivesHangup(words) });
  // These modules are imported only now, because an older Node couldn't even load them.
  const { runProgram } = await import('./cli/program.ts');
  // Handles that were opened before an error must not keep the process alive.
  if (!(await runProgram(words, process))) process.exit();
}
