import { styleText } from 'node:util';
import { Listr, PRESET_TIMER } from 'listr2';
import { capture, type RunOptions } from './run.ts';
import { UsageError } from './usage.ts';

/** One thing to do, and what a person calls it. */
export interface Step {
  readonly title: string;
  /** Rejects when it fails; `progress` shows a line on a terminal while it works. */
  readonly work: (progress: (line: string) => void) => Promise<void>;
}

/** A step that failed, and why. */
export interface Failure {
  readonly title: string;
  /** One line, or all that a command printed. */
  readonly reason: string;
  /** Whether a command line or an environment cannot be used. @default false */
  readonly isUsage?: boolean;
}

/** A step that runs a command; what it prints is shown only when it fails. */
export function commandStep(title: string, command: string, args: readonly string[], options: RunOptions = {}): Step {
  return {
    title,
    async work(progress) {
      const { ok, output } = await capture(command, args, { ...options, onLine: progress });
      if (!ok) throw new Error(output);
    },
  };
}

/** A step that runs a TypeScript file of the repository, or Node with other arguments. */
export function nodeStep(title: string, args: readonly string[], options: RunOptions = {}): Step {
  return commandStep(title, process.execPath, ['--conditions=source', ...args], options);
}

/** How steps are run. */
export interface RunStepsOptions {
  /** Whether those after a failed one are left out. @default false */
  readonly stopAtFailure?: boolean;
  /** Maximum number of parallel steps. @default 1 */
  readonly concurrency?: number;
}

/** Runs steps, in order unless told otherwise, with progress on a terminal and plain lines elsewhere; resolves to those that failed. */
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

/** Prints why steps failed, and sets the exit code. */
export function reportFailures(failures: readonly Failure[]): void {
  for (const { title, reason } of failures)
    console.error(`\n${styleText('red', `── ${title} ──`)}\n${reason.trimEnd()}`);
  if (failures.length === 0) return;
  console.error(`\nFailed: ${failures.map(({ title }) => title).join(', ')}`);
  process.exitCode = 1;
}
