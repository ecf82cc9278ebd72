import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const END_WITH_PARENT = fileURLToPath(new URL('end-with-parent.js', import.meta.url));

/** How long, in ms, processes can take to stop before they are killed. */
const KILL_AFTER_MS = 9_000;

/** How often, in ms, to check whether this process's parents still exist. */
const WATCH_EVERY_MS = 500;

const parents = parentsOfThis();

/**
 * Runs a Node program in a separate process group. Ends the group when the program ends, when this process gets a
 * signal to stop, or when this process's parent has ended. Resolves to the program's exit code, or to 1 if a signal
 * ended it.
 *
 * @param {readonly string[]} node the runtime and its options
 * @param {readonly string[]} program the file and its arguments
 * @returns {Promise<number>}
 */
export async function runGroup([node = '', ...options], program) {
  const child = spawn(node, [...options, END_WITH_PARENT, ...program], {
    detached: process.platform !== 'win32',
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const stop = onceOnly(() => {
    signalGroup(child, 'SIGTERM');
    setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS).unref();
  });
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, stop);
  const watch = setInterval(() => parentsAreGone() && stop(), WATCH_EVERY_MS);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  for (const signal of signals) process.off(signal, stop);
  signalGroup(child, 'SIGKILL');
  return code ?? 1;
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // None of the group's processes is left.
  }
}

/** @param {() => void} run */
function onceOnly(run) {
  let hasRun = false;
  return () => {
    if (!hasRun) run();
    hasRun = true;
  };
}

/**
 * This process's parent. If the parent is the shell that npm runs scripts in, npm is included, because the shell
 * outlives npm.
 */
function parentsOfThis() {
  const { parent, name } = processFacts(process.ppid);
  const isShellOfNpm = process.env.npm_lifecycle_event !== undefined && /(sh|busybox)$/.test(name);
  return { parent: process.ppid, npm: isShellOfNpm ? parent : undefined };
}

function parentsAreGone() {
  if (process.ppid !== parents.parent) return true;
  return parents.npm !== undefined && processFacts(parents.parent).parent !== parents.npm;
}

/** @param {number} pid @returns {{ parent?: number, name: string }} */
function processFacts(pid) {
  try {
    // `/proc` comes first, because Linux without the procps package has no `ps`.
    const [, name = '', parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { parent: Number(parent), name };
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, name = ''] = /^\s*(\d+)\s+(.*)$/m.exec(stdout ?? '') ?? [];
    return { parent: Number(parent), name };
  }
}
