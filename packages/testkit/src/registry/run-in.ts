import { spawn } from 'node:child_process';

/** Runs a command in a folder and resolves to its standard output. If it fails, rejects with its complete output. */
export function runIn(
  cwd: string,
  command: string,
  args: readonly string[],
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const child = spawn(command, args, { cwd, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, all] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), (all += text)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (all += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(stdout.trim());
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${all.trim()}`));
    });
  });
}
