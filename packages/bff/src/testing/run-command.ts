import { runProgram } from '../cli/program.ts';
import type { Ended } from './bff-process.ts';

/** Runs a command of `pulse-bff` in this process, which takes a tenth of the time. The command must not be `serve`. */
export async function runCommand(variables: Record<string, string>, words: readonly string[]): Promise<Ended> {
  const ended = { stdout: '', stderr: '' };
  const shell = {
    env: variables,
    stdout: { write: (text: string) => void (ended.stdout += text) },
    stderr: { write: (text: string) => void (ended.stderr += text) },
    exitCode: 0,
  };
  await runProgram(words, shell);
  return { code: shell.exitCode, ...ended };
}
