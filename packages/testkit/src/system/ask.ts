import { spawnSync } from 'node:child_process';
import { ROOT } from '../root.ts';

/** The output of a command and whether it succeeded. */
export interface Said {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a short command in the repository and waits for it. */
export function ask(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { ok: status === 0, stdout: (stdout ?? '').trim(), stderr: (stderr ?? '').trim() };
}

/** The path of a program, or undefined if the shell wouldn't find it. */
export function pathOf(program: string): string | undefined {
  const { ok, stdout } = ask(process.platform === 'win32' ? 'where' : 'which', [program]);
  return ok ? stdout.split('\n')[0] : undefined;
}
