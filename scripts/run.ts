import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The repository root. */
export const ROOT = join(import.meta.dirname, '..');

/** How a command is run. */
export interface RunOptions {
  /** The folder to run it in. @default the repository root */
  readonly cwd?: string;
  /** Variables to add to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command and shows its output. Resolves to true if the command succeeded. */
export function run(
  command: string,
  args: readonly string[],
  { cwd = ROOT, env = {} }: RunOptions = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
    child.once('error', (error) => {
      console.error(`Cannot run ${command}: ${error.message}`);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Runs test files in Node, shows their output, and sets the exit code. */
export async function runTestFiles(
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  // `--test-force-exit` is needed because Node 24.21 can hang in `CleanupHandles()` at the end of a process that has
  // closed many sockets.
  const args = ['--conditions=source', '--test', '--test-force-exit', ...files];
  if (!(await run(process.execPath, args, { env }))) process.exitCode = 1;
}

/** The result of a captured command. */
export interface Captured {
  readonly ok: boolean;
  /** The lines of standard output and standard error, in order of arrival. */
  readonly output: string;
}

/** Runs a command and captures its output. `onLine` is called with each line. */
export function capture(
  command: string,
  args: readonly string[],
  { cwd = ROOT, env = {}, onLine }: RunOptions & { readonly onLine?: (line: string) => void } = {},
): Promise<Captured> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        onLine?.(line);
      });
    child.once('error', (error) => lines.push(`Cannot run ${command}: ${error.message}`));
    child.once('close', (code) => resolve({ ok: code === 0, output: lines.join('\n') }));
  });
}
