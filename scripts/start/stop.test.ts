import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@pulse-card/testkit/free-port';
import { ROOT } from '../run.ts';
import { START_PORTS } from './addresses.ts';

/** The last line that `npm start` prints once everything is running. */
const RUNNING = /Stop with Ctrl\+C/;

/** The first line that `npm start` prints. When this line is printed, only a bundler is running. */
const BUILDING = /Build pulse-card\.js/;

/** The longest wait for a process to end, in ms. The docs say ten seconds, but a busy machine might need more. */
const ENDED_WITHIN_MS = 60_000;

interface Start {
  readonly npm: ChildProcess;
  readonly ports: readonly number[];
  /** The command lines of npm and of the processes that it has started, keyed by process ID. */
  readonly pids: ReadonlyMap<number, string>;
  /** The ID of the process whose command line contains `part`. */
  pidOf(part: string): number;
}

interface Way {
  readonly how: string;
  readonly stop: (start: Start) => void;
  /** When to stop. @default once everything runs */
  readonly when?: RegExp;
  /** Whether npm itself survives this kind of stop and therefore reports a failure. */
  readonly failed?: true;
  /** Tested only by `npm run test:long`. */
  readonly isLong?: true;
}

const toNpm = (signal: NodeJS.Signals) => (start: Start) => void process.kill(start.npm.pid!, signal);
const toGroup = (signal: NodeJS.Signals) => (start: Start) => void process.kill(-start.npm.pid!, signal);
const to = (part: string, signal: NodeJS.Signals) => (start: Start) => void process.kill(start.pidOf(part), signal);

const WAYS: readonly Way[] = [
  { how: 'Ctrl+C', stop: toGroup('SIGINT') },
  { how: 'SIGTERM to npm', stop: toNpm('SIGTERM') },
  { how: 'SIGTERM to the group', stop: toGroup('SIGTERM'), isLong: true },
  { how: 'SIGHUP to npm', stop: toNpm('SIGHUP'), isLong: true },
  { how: 'SIGHUP to the group', stop: toGroup('SIGHUP'), isLong: true },
  { how: 'SIGKILL to npm', stop: toNpm('SIGKILL') },
  { how: 'SIGKILL to the group', stop: toGroup('SIGKILL'), isLong: true },
  { how: 'SIGKILL to the shell of npm', stop: to('sh -c', 'SIGKILL'), isLong: true },
  { how: 'SIGKILL to bootstrap.js', stop: to('node scripts/bootstrap.js', 'SIGKILL'), isLong: true },
  { how: 'SIGTERM to start.ts', stop: to('/scripts/start.ts', 'SIGTERM'), isLong: true },
  { how: 'SIGKILL to start.ts', stop: to('/scripts/start.ts', 'SIGKILL'), failed: true, isLong: true },
  { how: 'the end of the service', stop: to('service/src/main.ts', 'SIGKILL'), failed: true, isLong: true },
  { how: 'the end of the BFF', stop: to('bff/src/main.ts', 'SIGTERM'), failed: true },
  { how: 'the end of the demo', stop: to('demo/main.ts', 'SIGKILL'), failed: true, isLong: true },
  { how: 'SIGTERM to npm while it builds', stop: toNpm('SIGTERM'), when: BUILDING, isLong: true },
  { how: 'SIGKILL to npm while it builds', stop: toNpm('SIGKILL'), when: BUILDING, isLong: true },
];

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-start-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const keys = new Set<string>();
  const ways = process.env['PULSE_TEST_LONG'] === undefined ? WAYS.filter(({ isLong }) => !isLong) : WAYS;
  for (const { how, stop, when = RUNNING, failed } of ways) {
    it(`leaves no process or port behind after ${how}`, async () => {
      const start = await startNpm(folder, when);
      if (when === RUNNING) keys.add(readFileSync(join(folder, 'demo.key'), 'utf8'));
      const exit = once(start.npm, 'exit');
      stop(start);
      await allEnded(start);
      const [code] = (await exit) as [number | null];
      if (failed) assert.ok(code !== 0 && code !== null, `exit code ${code}`);
      for (const port of start.ports) await assertFree(port);
    });
  }

  it('keeps the demo’s key from one start to the next', () => assert.equal(keys.size, 1));
});

async function startNpm(folder: string, until: RegExp): Promise<Start> {
  const ports = await Promise.all(Object.keys(START_PORTS).map(() => freePort()));
  const named = Object.values(START_PORTS).map(({ variable }, index) => [variable, String(ports[index])]);
  const env = { ...process.env, ...Object.fromEntries(named), PULSE_DATA_DIR: folder };
  delete env['NODE_TEST_CONTEXT'];
  // A start without `--skip-build` would replace files that other tests are reading.
  const args = until === BUILDING ? [] : ['--', '--skip-build'];
  const npm = spawn('npm', ['start', ...args], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  npm.stderr.on('data', (chunk) => lines.push(String(chunk)));
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line);
    if (until.test(line)) break;
  }
  assert.equal(npm.exitCode, null, lines.join('\n'));
  npm.stdout.resume();
  const pids = descendantsOf(npm.pid!);
  return {
    npm,
    ports,
    pids,
    pidOf(part) {
      const [pid] = [...pids].find(([, command]) => command.includes(part)) ?? [];
      assert.ok(pid !== undefined, `No process has "${part}" in ${[...pids.values()].join('\n')}`);
      return pid;
    },
  };
}

function descendantsOf(top: number): Map<number, string> {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const processes = rows.flatMap((row) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const found = new Map<number, string>();
  // A child can have a lower ID than its parent, because IDs start over at the system's maximum.
  const add = ({ pid, command }: (typeof processes)[number]): void => {
    found.set(pid, command);
    for (const child of processes) if (child.parent === pid) add(child);
  };
  for (const process of processes) if (process.pid === top) add(process);
  return found;
}

async function allEnded({ pids }: Start): Promise<void> {
  const until = performance.now() + ENDED_WITHIN_MS;
  let left = [...pids];
  while (left.length > 0 && performance.now() < until) {
    await pause(100);
    left = left.filter(([pid]) => isRunning(pid));
  }
  for (const [pid] of left) process.kill(pid, 'SIGKILL');
  assert.deepEqual(left, []);
}

/** Whether a process has exited. A zombie process has exited. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

async function assertFree(port: number): Promise<void> {
  const probe = createServer().listen(port);
  await once(probe, 'listening');
  probe.close();
}
