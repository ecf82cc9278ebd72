#!/usr/bin/env node

/** The oldest Node that the command runs on. It must equal `engines` in package.json. */
const OLDEST_NODE = { major: 22, minor: 19 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor)) {
  const needed = `${OLDEST_NODE.major}.${OLDEST_NODE.minor}`;
  process.stderr.write(`pulse-doctor needs Node ${needed} or newer; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  // Imported only now, because an older Node can't load it.
  const { runDoctor } = await import('./command.ts');
  process.exitCode = await runDoctor(process.argv.slice(2), process);
}
