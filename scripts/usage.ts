import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { closestMatch } from 'leven';

/** An invalid command line or environment. The message describes the error, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Reads the command line. Throws a `UsageError` for an unknown option. The message also contains the nearest known
 * option.
 */
export function readArguments<Options extends ParseArgsOptionsConfig>(options: Options, args = process.argv.slice(2)) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const unknown = /Unknown option '([^']*)'/.exec(error instanceof Error ? error.message : '')?.[1];
    if (unknown === undefined) throw new UsageError(error instanceof Error ? error.message : String(error));
    const known = ['help', ...Object.keys(options)].map((name) => `--${name}`);
    throw new UsageError(`Unknown option "${unknown}"${nearestOf(unknown, known)}`);
  }
}

/** Returns `; did you mean "…"?`, or an empty string if `known` is empty. */
export function nearestOf(word: string, known: readonly string[]): string {
  const nearest = closestMatch(word, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/**
 * Runs a command's main function. Prints an error as one line and sets the exit code: 2 for `UsageError`, otherwise 1.
 */
export async function runMain(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
