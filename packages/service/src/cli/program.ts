import { readFileSync } from 'node:fs';
import { KEY_EXPIRES_IN_DAYS, KEY_SCOPES } from '@pulse-card/contract';
import { Command, CommanderError } from 'commander';
import { CommandError } from '../command-error.ts';
import { ConfigError, serveVariables, unknownVariableWarnings } from '../config.ts';
import { printable } from '../printable.ts';
import { databaseErrorReason } from '../sql/database-error.ts';
import type { CreateKeyOptions } from './keys.ts';
import { type Output, processOutput } from './print.ts';
import { UsageError, usageMessage } from './usage.ts';

const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/**
 * Runs one command of `pulse-service`. Resolves to the exit code: 0 for success, 1 for failure, 2 for bad usage or
 * configuration.
 */
export async function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: Output = processOutput,
): Promise<number> {
  const program = createProgram(env, output);
  try {
    // `serve` isn't the library's default command, because every misspelled command would become an argument of
    // `serve`.
    await program.parseAsync(args.length > 0 ? args : ['serve'], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    for (const line of linesOf(error, program, args)) output.note(`pulse-service: ${printable(line)}`);
    return exitCodeOf(error);
  }
}

// Each command loads only what it needs.
function createProgram(env: NodeJS.ProcessEnv, output: Output): Command {
  const warn = () => warnOfUnknownVariables(env, output);
  const program = new Command('pulse-service')
    .description('The sources-and-pulses service.')
    .version(ownVersion())
    .configureOutput({
      writeOut: (text) => output.result(withoutLineEnd(text)),
      writeErr: (text) => output.note(withoutLineEnd(text)),
      outputError: () => {},
    })
    .exitOverride();

  program
    .command('serve')
    .description('migrate the database and listen on PORT and ALT_PORT (the default)')
    .addHelpText('after', () => `\nEnvironment:\n${variableLines().join('\n')}`)
    .action(async () => (await import('./serve.ts')).serve(env));

  program
    .command('import')
    .argument('<file>', 'JSON document, with its charts as PNG files next to it')
    .description('load accounts, organizations, sources, connections and runs: all or nothing')
    .action(async (file: string) => {
      warn();
      await (await import('./import.ts')).importFile(env, file, output);
    });

  const keys = program.command('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('print a new key, once')
    .requiredOption('--account <id>', 'account that the key belongs to')
    .option('--scopes <list>', 'scopes of the key, comma-separated', KEY_SCOPES.join(','))
    .option('--expires-in-days <days>', 'number of days until the key expires', String(KEY_EXPIRES_IN_DAYS))
    .action(async (options: CreateKeyOptions) => {
      warn();
      await (await import('./keys.ts')).createKey(env, options, output);
    });

  keys
    .command('list')
    .description('list all keys, without their text')
    .action(async () => {
      warn();
      await (await import('./keys.ts')).printKeys(env, output);
    });

  keys
    .command('revoke')
    .argument('<id>', 'ID of the key, as shown by `keys list`')
    .description('revoke a key immediately')
    .action(async (id: string) => {
      warn();
      await (await import('./keys.ts')).revokeKey(env, id, output);
    });

  return program;
}

/** Prints a line for each misspelled variable. `serve` writes these lines to its log. */
function warnOfUnknownVariables(env: NodeJS.ProcessEnv, output: Output): void {
  for (const warning of unknownVariableWarnings(env)) output.note(`pulse-service: ${printable(warning)}`);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\n$/, '');
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.badUsage;
  return error instanceof ConfigError || error instanceof UsageError ? EXIT.badUsage : EXIT.failed;
}

function linesOf(error: unknown, program: Command, args: readonly string[]): string[] {
  if (error instanceof CommanderError) return usageMessage(program, args, error);
  const isExpected = error instanceof ConfigError || error instanceof CommandError;
  return isExpected ? error.message.split('\n') : [`Can’t continue: ${databaseErrorReason(error)}`];
}

/** One line for each variable: its name, its purpose, its default. */
function variableLines(): string[] {
  const variables = Object.entries(serveVariables.shape);
  const width = Math.max(...variables.map(([name]) => name.length));
  return variables.map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data as string | number | undefined;
    const text = `  ${name.padEnd(width)}  ${schema.meta()?.description ?? ''}`;
    return fallback === undefined ? text : `${text} (default: ${fallback})`;
  });
}

function ownVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
