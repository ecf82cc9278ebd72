import { run, type RunOptions } from './run.ts';

/** One thing to do, and what a person calls it. */
export interface Step extends RunOptions {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** A step that runs a TypeScript file of ours, or Node with other arguments. */
export function nodeStep(title: string, args: readonly string[], options: RunOptions = {}): Step {
  return { title, command: process.execPath, args: ['--conditions=source', ...args], ...options };
}

/** Runs the steps one after another, each under its title, all of them even when one fails; resolves to the titles that failed. */
export async function runAll(steps: readonly Step[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [index, step] of steps.entries()) {
    console.log(`\n[${index + 1}/${steps.length}] ${step.title}`);
    const startedAt = performance.now();
    const ok = await run(step.command, step.args, step);
    console.log(`${ok ? 'done' : 'FAILED'}: ${step.title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    if (!ok) failed.push(step.title);
  }
  return failed;
}

/** Says how the steps ended, and sets the exit code by it. */
export function closeWith(what: string, failed: readonly string[]): void {
  if (failed.length === 0) {
    console.log(`\n${what}: all well`);
    return;
  }
  console.error(`\n${what}: failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
