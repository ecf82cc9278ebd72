import { Command, CommanderError } from 'commander';
import { closestMatch } from 'leven';
import { type Config, ConfigError, readConfig, readVariables, unknownVariables } from '../config.ts';
import { packageVersion } from '../lib/package-version.ts';
import { printable } from '../lib/printable.ts';
import type { MintOptions } from './token.ts';

/** Exit codes. */
const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/** The stream that a command writes to. */
export type Output = Pick<NodeJS.Process['stdout'], 'isTTY' | 'write'>;

/** The parts of a process that commands use. */
export type Shell = Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr' | 'exitCode'>;

/**
 * Runs `pulse-bff` with these arguments. Sets the exit code. Resolves to false if the command couldn't be completed.
 */
export async function runProgram(words: readonly string[], shell: Shell): Promise<boolean> {
  const program = createProgram(shell);
  const isServer = words.length === 0 || words[0] === 'serve';
  // The log of a server writes to standard output itself.
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
      'Serves pulses to readers and keeps the key secret. Environment variables configure it. Exit codes: 0 success, 1 failure, 2 invalid configuration or usage.',
    )
    .version(packageVersion())
    .helpCommand('help [command]', 'display help for command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void shell.stdout.write(text),
      writeErr: (text) => void shell.stderr.write(text),
      outputError: () => {},
    });
  // Each command loads only the code that it needs. A health check runs every few seconds and must not load the server.
  program
    .command('serve')
    .description('serve readers (the default)')
    .action(async () => (await import('./serve.ts')).serve(readConfig(shell.env)));
  program
    .command('health')
    .description('exit with 0 if the instance at HOST and PORT is ready; for a container’s health check')
    .action(() => health(shell));
  program
    .command('check')
    .description('check the key; print the account, its sources, the rate limit, the hosts, and the allowed origins')
    .option('--origin <url>', 'also say whether pages on this origin may show cards; this doesn’t change the exit code')
    .option('--alert', 'also send a test message to PULSE_ALERT_URL; exit with 1 if it doesn’t arrive')
    .action((options: { origin?: string; alert?: boolean }) => check(shell, options));
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
    .action((options: MintOptions) => mint(shell, options));
  program
    .command('export')
    .description('write pulses as files for a static host')
    .argument('<dir>', 'a folder that only the export uses')
    .option('--images', 'also write the charts (as with PULSE_IMAGES=proxy)')
    .action((dir: string, options: { images?: boolean }) => exportFiles(shell, dir, options));
  for (const [name, isWithheld, description] of WITHHOLD)
    program
      .command(name)
      .description(description)
      .argument('<run>', 'the ID of the run, as in jobRunId')
      .action((run: string) => withhold(shell, run, isWithheld));
  return program;
}

const WITHHOLD = [
  ['withhold', true, 'stop showing the AI texts of a run: add it to PULSE_WITHHELD_FILE'],
  ['release', false, 'show the AI texts of a run again: remove it from PULSE_WITHHELD_FILE'],
] as const;

async function health(shell: Shell): Promise<void> {
  const { PORT: port, HOST: host } = readVariables(shell.env, 'PORT', 'HOST');
  if (port === 0) throw new ConfigError(['PORT: must be the port that the instance listens on, not 0']);
  const { checkHealth } = await import('./health.ts');
  const { isReady, line } = await checkHealth({ port, host });
  print(isReady ? shell.stdout : shell.stderr, line);
  shell.exitCode = isReady ? EXIT.done : EXIT.failed;
}

async function check(shell: Shell, { origin, alert }: { origin?: string; alert?: boolean }): Promise<void> {
  const { checkKey, expiryLine, originLines, sendTestAlert } = await import('./check.ts');
  const { openKey } = await import('../upstream/key.ts');
  const { systemClock } = await import('../lib/clock.ts');
  const { readTokenKeys } = await import('./token.ts');
  const config = configOf(shell, { isOftenElsewhere: true });
  const origins = originLines(config, origin);
  const log = { warn: (line: string) => (print(shell.stderr, line), true) };
  const key = await openKey(config, { clock: systemClock, log });
  if (config.tokenKeysFile !== undefined) await readTokenKeys(config.tokenKeysFile);
  const { works, lines } = await checkKey(config, key.current());
  const expiry = await expiryLine(config, key.current());
  key.close();
  const sent = alert ? await sendTestAlert(shell.env) : { works: true, lines: [] };
  print(shell.stdout, ...lines, expiry, ...origins, ...sent.lines);
  shell.exitCode = works && sent.works ? EXIT.done : EXIT.failed;
}

async function mint(shell: Shell, options: MintOptions): Promise<void> {
  const { mintTokenFor } = await import('./token.ts');
  print(shell.stdout, await mintTokenFor(shell.env, options));
  print(shell.stderr, ...unknownVariables(shell.env));
}

async function exportFiles(shell: Shell, dir: string, { images = false }: { images?: boolean }): Promise<void> {
  const config = configOf(shell);
  const { exportTo } = await import('./export.ts');
  const isNew = await exportTo(config, dir, { withImages: images || config.images === 'proxy', output: shell.stdout });
  shell.exitCode = isNew ? EXIT.done : EXIT.failed;
}

async function withhold(shell: Shell, run: string, isWithheld: boolean): Promise<void> {
  const { withholdRun } = await import('./withhold.ts');
  print(shell.stdout, withholdRun(shell.env, run, isWithheld));
  print(shell.stderr, ...unknownVariables(shell.env));
}

/**
 * Reads the configuration, and prints its warnings. If required variables are missing here, the BFF may run elsewhere.
 */
function configOf(shell: Shell, { isOftenElsewhere = false } = {}): Config {
  try {
    const config = readConfig(shell.env);
    print(shell.stderr, ...config.warnings);
    return config;
  } catch (error) {
    if (!isOftenElsewhere || !(error instanceof ConfigError) || !error.isIncomplete) throw error;
    const { PULSE_ADMIN_PORT: port } = readVariables(shell.env, 'PULSE_ADMIN_PORT');
    const line = `A running BFF shows the same on its status page, http://localhost:${port}/`;
    throw new ConfigError([...error.faults, line]);
  }
}

/** Prints why a command failed. Returns the exit code. */
function exitCodeOf(shell: Shell, error: unknown, command: Command): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    // `pulse-bff token` without a command prints its help.
    if (error.code !== 'commander.help')
      print(shell.stderr, usageFault(error, command), 'Run pulse-bff --help for all commands');
    return EXIT.badUsage;
  }
  if (error instanceof ConfigError) {
    print(shell.stderr, ...error.faults);
    return EXIT.badUsage;
  }
  print(shell.stderr, error instanceof Error ? error.message : 'Can’t continue: unknown reason');
  return EXIT.failed;
}

/** Text from the service is printed too, and control characters could change how the terminal behaves. */
function print(output: Pick<Output, 'write'>, ...lines: readonly string[]): void {
  for (const line of lines) output.write(`${printable(line)}\n`);
}

/** If the reader of the output has ended (`check | head`), the work continues. If a disk is full, the command fails. */
function watchOutputs(shell: Shell): void {
  shell.stderr.on('error', () => {});
  shell.stdout.on('error', ({ code = 'unknown reason' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    shell.exitCode = EXIT.failed;
    print(shell.stderr, `Can’t write the output (${code})`);
  });
}

/** The command that the words specify, such as `token mint`. */
export function commandIn(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => command.commands.find((each) => each.name() === word) ?? command, program);
}

/** A word that may be repeated in a message. Anything else on a command line could be a key. */
const PLAIN_WORD = /^(?:-{0,2}[a-z][a-z-]{0,23}|<[a-z.]+>)$/i;

/** Commander's message with the nearest known word, and without words that could be a key. */
export function usageFault({ message }: CommanderError, command: Command): string {
  const isPlain = (words: string) => words.split(' ').every((word) => PLAIN_WORD.test(word));
  const said = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(but got \d+): [^]*$/, '$1')
    .replace(/'([^]*)'/, (quoted, words: string) => (isPlain(words) ? quoted : 'that isn’t repeated here'));
  const [, kind, word = ''] = /unknown (command|option) '([^']*)'/.exec(message) ?? [];
  // Commander suggests only similar words.
  if (kind === undefined || message.includes('Did you mean')) return said;
  const options = [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  return `${said} (the nearest is ${closestMatch(word, kind === 'command' ? command.commands.map((each) => each.name()) : options)})`;
}
