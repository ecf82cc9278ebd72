#!/usr/bin/env node
import { nodeFault } from '@pulse-card/contract/node-version';

const fault = nodeFault('pulse-doctor', process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
} else {
  // Imported only now, because an older Node can't load it.
  const { runDoctor } = await import('./command.ts');
  process.exitCode = await runDoctor(process.argv.slice(2), process);
}
