import { printable } from '../lib/printable.ts';

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/** The parts of a process that commands use. */
export type Shell = Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr' | 'exitCode'>;

/**
 * Prints lines without control characters: the text may come from the service and could change how the terminal
 * behaves.
 */
export function print(output: Pick<NodeJS.Process['stdout'], 'write'>, ...lines: readonly string[]): void {
  for (const line of lines) output.write(`${printable(line)}\n`);
}
