import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest Node that this program runs on; `engines` in package.json says the same. */
const OLDEST = { major: 22, minor: 19 } as const;

/** Says to the program that it was handed over: it ends with the one that did so. */
const HANDED_OVER = 'PULSE_HANDED_OVER';

// Imported before all else: what comes after is not begun on a Node that is too old for it.
if (isTooOld(process.versions.node)) await handOver();
else if (process.env[HANDED_OVER] !== undefined) endWithParent();

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor);
}

/** Runs the program with the Node that the repository brings; never resolves. */
function handOver(): Promise<never> {
  const node = broughtNode();
  if (node === undefined) {
    process.stderr.write(
      `This needs Node ${OLDEST.major}.${OLDEST.minor} or newer: this is ${process.versions.node}\n`,
    );
    process.exit(1);
  }
  // A group of its own: a signal from the terminal reaches it once, from here.
  const child = spawn(node, process.argv.slice(1), {
    detached: true,
    env: { ...process.env, [HANDED_OVER]: '1' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 1));
  return new Promise(() => {});
}

/** The Node that is installed as a package, where there is one. */
function broughtNode(): string | undefined {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    return ['node', 'node.exe'].map((name) => join(folder, 'bin', name)).find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}

function endWithParent(): void {
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}
