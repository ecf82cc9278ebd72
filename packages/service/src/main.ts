#!/usr/bin/env node

/** The oldest Node that the service runs on; `engines` in package.json says the same. */
const OLDEST_NODE = { major: 22, minor: 19 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor)) {
  const needed = `${OLDEST_NODE.major}.${OLDEST_NODE.minor}`;
  process.stderr.write(`pulse-service needs Node ${needed} or newer; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // Imported only now, because an older Node can't load it.
  const { runProgram } = await import('./cli/program.ts');
  // In a pipe to `head`, nothing reads the rest. The work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.exitCode = await runProgram(process.argv.slice(2), process.env);
}
