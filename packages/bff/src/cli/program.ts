import { Command, CommanderError } from 'commander';
import { closestMatch } from 'leven';
import { ConfigError, readConfig } from '../config.ts';
import { packageVersion } from '../lib/package-version.ts';
import type { CheckOptions } from './check.ts';
import { EXIT, print, type Shell } from './output.ts';
import type { MintOptions } from './token.ts';

/**
 * Runs `pulse-bff` with these arguments. Sets the exit code. Resolves to false if the command couldn't be completed.
 */
export async function runProgram(words: readonly string[], shell: Shell): Promise<boolean> {
  const program = createProgram(shell);
  const isServer = words.length === 0 || words[0] === 'serve';
  // The server's logger handles standard output on its own.
  if (!isServer) watchOutputs(shell);
  try {
    await program.parseAsync(words.length === 0 ? ['serve'] : words, { from: 'user' });
    return true;
  } catch (error) {
    shell.exitCode = exitCodeOf(shell, error, commandIn(program, words));
    return false;
  }
}

/**
 * The command line of `pulse-bff`. If the arguments are wrong, it throws `CommanderError` instead of printing errors.
 */
export function createProgram(shell: Shell): Command {
  const program = new Command('pulse-bff')
    .description(
      'Serves pulses to readers and keeps the key secret. Configure it with environment variables. Exit codes: 0 success, 1 failure, 2 invalid configuration or usage.',
    )
    .version(packageVersion())
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: () => {} });
  // Each command loads only the code that it needs. A health check runs every few seconds and must not load the server.
  program
    .command('serve')
    .description('serve readers (the default)')
    .action(async () => (await import('./serve.ts')).serve(readConfig(shell.env)));
  program
    .command('health')
    .description('exit with 0 if the instance at HOST and PORT is ready; for a container’s health check')
    .action(async () => (await import('./health.ts')).health(shell));
  program
    .command('check')
    .description('check the key; print the account, its sources, the rate limit, the hosts, and the allowed origins')
    .option(
      '--origin <url>',
      'also report whether pages on this origin are allowed to show cards; this doesn’t change the exit code',
    )
    .option('--alert', 'also send a test message to PULSE_ALERT_URL; exit with 1 if it doesn’t arrive')
    .action(async (options: CheckOptions) => (await import('./check.ts')).check(shell, options));
  program
    .command('token')
    .description('mint tokens for private embeds')
    .command('mint')
    .description('print a token, signed with a key from PULSE_TOKEN_KEYS_FILE or with a private key')
    .option('--source <id...>', 'the sources that the token allows')
    .option('--all-sources', 'the token allows all sources')
    .option('--origin <origin...>', 'the origins of the pages that may use the token')
    .option('--subject <id>', 'the reader, such as a user ID')
    .option('--lifetime <seconds>', '1 to 600 (default: 300)')
    .option('--kid <kid>', 'the name of the key (default: the first shared secret)')
    .option('--private-key <file>', 'an Ed25519 private key as PEM')
    .action(async (options: MintOptions) => (await import('./token.ts')).mint(shell, options));
  program
    .command('export')
    .description('write pulses as files for a static host')
    .argument('<dir>', 'a folder that only the export uses')
    .option('--images', 'also write the charts (as with PULSE_IMAGES=proxy)')
    .action(async (dir: string, { images }: { images?: true }) =>
      (await import('./export.ts')).exportFiles(shell, dir, images),
    );
  for (const [name, isWithheld, description] of WITHHOLD)
    program
      .command(name)
      .description(description)
      .argument('<run>', 'the ID of the run, as in jobRunId')
      .action(async (run: string) => (await import('./withhold.ts')).withhold(shell, run, isWithheld));
  return program;
}

const WITHHOLD = [
  ['withhold', true, 'stop showing the AI-generated text of a run: add it to PULSE_WITHHELD_FILE'],
  ['release', false, 'show the AI-generated text of a run again: remove it from PULSE_WITHHELD_FILE'],
] as const;

/** Prints why a command failed. Returns the exit code. */
function exitCodeOf({ stderr }: Shell, error: unknown, command: Command): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    // `pulse-bff token` without a subcommand prints its help.
    if (error.code !== 'commander.help')
      print(stderr, usageFault(error, command), 'Run pulse-bff --help for all commands');
    return EXIT.badUsage;
  }
  if (error instanceof ConfigError) {
    print(stderr, ...error.faults);
    return EXIT.badUsage;
  }
  print(stderr, error instanceof Error ? error.message : 'Can’t continue: unknown reason');
  return EXIT.failed;
}

/**
 * If the program reading the output exits (`check | head`), the command continues. If a disk is full, the command
 * fails.
 */
function watchOutputs(shell: Shell): void {
  shell.stderr.on('error', () => {});
  shell.stdout.on('error', ({ code = 'unknown reason' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    shell.exitCode = EXIT.failed;
    print(shell.stderr, `Can’t write the output (${code})`);
  });
}

/** The command that the arguments specify, such as `token mint`. */
export function commandIn(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => command.commands.find((each) => each.name() === word) ?? command, program);
}

/** A word that is safe to repeat in a message. Anything else on a command line could be a key. */
const PLAIN_WORD = /^-{0,2}[a-z][a-z-]{0,23}$/i;

/** Commander's message, with the closest known word and without words that could be a key. */
export function usageFault({ message }: CommanderError, command: Command): string {
  const [, kind, word = ''] = /unknown (command|option) '([^']*)'/.exec(message) ?? [];
  if (kind === undefined) return message.replace(/^error: /, '').replace(/(but got \d+): [^]*$/, '$1');
  const commands = [...command.commands.map((each) => each.name()), 'help'];
  const options = [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  const nearest = closestMatch(word, kind === 'command' ? commands : options);
  return `unknown ${kind} ${PLAIN_WORD.test(word) ? `'${word}'` : 'that isn’t repeated here'} (did you mean ${nearest}?)`;
}
