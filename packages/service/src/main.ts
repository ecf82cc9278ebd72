#!/usr/bin/env node
import { nodeFault } from '@pulse-card/contract/node-version';

const fault = nodeFault('pulse-service', process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  // Imported only now, because an older Node can't load it.
  const { runProgram } = await import('./cli/program.ts');
  // If the output is piped to `head`, nothing reads the rest, but the work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.exitCode = await runProgram(process.argv.slice(2), process.env);
}
