import { styleText } from 'node:util';
import { Listr, PRESET_TIMER } from 'listr2';
import { capture, type RunOptions } from './run.ts';
import { UsageError } from './usage.ts';

/** A step of a command, such as a build or a check. */
export interface Step {
  readonly title: string;
  /** Performs the step and rejects if it fails. While the step runs, `progress` shows a line on a terminal. */
  readonly work: (progress: (line: string) => void) => Promise<void>;
}

/** A failed step, with the reason. */
export interface Failure {
  readonly title: string;
  /** One line, or everything that a command printed. */
  readonly reason: string;
  /** Whether the reason is an invalid command line or environment. @default false */
  readonly isUsage?: boolean;
}

/** A step that runs a command. The command's output is shown only if it fails. */
export function commandStep(title: string, command: string, args: readonly string[], options: RunOptions = {}): Step {
  return {
    title,
    async work(progress) {
      const { ok, output } = await capture(command, args, { ...options, onLine: progress });
      if (!ok) throw new Error(output);
    },
  };
}

/** A step that runs a TypeScript file in the repository, or Node with other arguments. */
export function nodeStep(title: string, args: readonly string[], options: RunOptions = {}): Step {
  return commandStep(title, process.execPath, ['--conditions=source', ...args], options);
}

/** Options for running steps. */
export interface RunStepsOptions {
  /** Whether the steps after a failed step are skipped. @default false */
  readonly stopAtFailure?: boolean;
  /** Maximum number of parallel steps. @default 1 */
  readonly concurrency?: number;
}

/** Runs steps, by default one after another. Shows progress on a terminal, and plain lines elsewhere. Resolves to the failed steps. */
export async function runSteps(
  steps: readonly Step[],
  { stopAtFailure = false, concurrency = 1 }: RunStepsOptions = {},
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const tasks = steps.map(({ title, work }) => ({
    title,
    task: async (_: unknown, task: { output: string }) => {
      try {
        await work((line) => process.stdout.isTTY && (task.output = line));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        failures.push({ title, reason, isUsage: error instanceof UsageError });
        throw new Error('failed', { cause: error });
      }
    },
  }));
  const list = new Listr(tasks, {
    concurrent: concurrency,
    exitOnError: stopAtFailure,
    registerSignalListeners: false,
    fallbackRenderer: 'simple',
    rendererOptions: { timer: PRESET_TIMER },
    fallbackRendererOptions: { timer: PRESET_TIMER },
  });
  await list.run().catch(() => {});
  return failures;
}

/** Prints the reasons why steps failed and sets the exit code. */
export function reportFailures(failures: readonly Failure[]): void {
  for (const { title, reason } of failures)
    console.error(`\n${styleText('red', `── ${title} ──`)}\n${reason.trimEnd()}`);
  if (failures.length === 0) return;
  console.error(`\nFailed: ${failures.map(({ title }) => title).join(', ')}`);
  process.exitCode = 1;
}
