import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../root.ts';
import { ask, pathOf } from '../system/ask.ts';
import { installFromSystem } from '../system/system-packages.ts';

/** A program that builds and runs images, with the arguments that come before each command. */
export interface ContainerEngine {
  readonly name: 'docker' | 'podman';
  readonly command: readonly string[];
  /** Arguments for `build` that preserve everything in a Dockerfile. */
  readonly buildArguments: readonly string[];
  /** Arguments for `run` that this machine needs. */
  readonly runArguments: readonly string[];
  /** Removes all its containers and images. */
  close(): void;
}

/** Uses Docker if its engine is running. Otherwise uses Podman from Debian's packages, with a separate store. */
export function provideEngine(): ContainerEngine {
  if (ask('docker', ['info']).ok) {
    return { name: 'docker', command: ['docker'], buildArguments: [], runArguments: [], close: () => {} };
  }
  provide('the image tests', 'podman', 'runc');
  return openPodman();
}

/**
 * Installs each missing program from the package of the same name. If one is still missing, throws an error that
 * contains `reason`.
 */
export function provide(reason: string, ...programs: readonly string[]): void {
  const missing = () => programs.filter((name) => pathOf(name) === undefined);
  installFromSystem(missing().map((name) => ({ title: name, names: { apt: name, brew: name, dnf: name } })));
  if (missing().length > 0) throw new Error(`Can’t run ${reason}: ${missing().join(', ')} could not be installed`);
}

function openPodman(): ContainerEngine {
  const store = mkdtempSync(join(tmpdir(), 'pulse-images-'));
  const paths = ['--root', join(store, 'root'), '--runroot', join(store, 'run')];
  const command = ['podman', ...paths, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
  return {
    name: 'podman',
    command,
    // The OCI format doesn't support health checks.
    buildArguments: ['--format', 'docker'],
    runArguments: ['--ulimit', `nofile=${openFiles()}`, '--ulimit', 'nproc=4096:4096'],
    close() {
      const [program = '', ...args] = command;
      for (const clean of [
        ['rm', '--all', '--force'],
        ['volume', 'rm', '--all', '--force'],
        ['rmi', '--all', '--force'],
      ])
        spawnSync(program, [...args, ...clean], { stdio: 'ignore' });
      rmSync(store, { recursive: true, force: true });
    },
  };
}

/** The maximum number of open files that a process without CAP_SYS_RESOURCE can pass on. */
function openFiles(): string {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -H -n'], { encoding: 'utf8' });
  const limit = stdout.trim();
  return limit === 'unlimited' ? '65536:65536' : `${limit}:${limit}`;
}

/** Runs an engine command and returns its output. If it fails, throws an error that contains the output. */
export function engineRun(engine: Pick<ContainerEngine, 'command'>, args: readonly string[], cwd = ROOT): string {
  const [program = '', ...before] = engine.command;
  const { status, stdout, stderr, error } = spawnSync(program, [...before, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
  });
  if (status === 0) return stdout.trim();
  throw new Error(`Can’t run ${program} ${args.join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}${stderr}`);
}
