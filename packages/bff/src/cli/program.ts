import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { closestMatch } from 'leven';
import type { Diagnosis } from '@pulse-card/doctor';
import type { DoctorOptions } from './doctor.ts';
import type { Output } from './export.ts';
import type { RunningBff } from './running-bff.ts';
import type { MintOptions } from './token.ts';
import { systemClock } from '../lib/clock.ts';
import { type Config, ConfigError, readConfig, readSettings } from '../config/config.ts';
import { unknownVariableWarnings, variables } from '../config/variables.ts';

/** Exit codes. */
const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/** Access must be public, because anyone who knows a file's address can read the file. */
const PRIVATE_FAULT =
  'PULSE_ACCESS: must be public for an export, because anyone who knows the address of an exported file can read the file';

/** The advice if the BFF's variables are not set in this shell. */
const ASK = 'To check a running BFF instead, pass the address of its private port with --bff URL';

/** Both commands that check a BFF can ask a running BFF. */
const BFF_OPTION = [
  '--bff <url>',
  'query the running BFF on this private port instead of using the variables in this shell (automatic if required variables are missing; the default is the private port on this machine)',
] as const;

/** The parts of a process that commands use. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Pick<Output, 'write'>;
  exitCode?: number | string | null | undefined;
}

/** Runs `pulse-bff` with these arguments. Sets the exit code. Resolves to false if the command couldn't be completed. */
export async function runProgram(words: readonly string[], shell: Shell): Promise<boolean> {
  const program = createProgram(shell);
  try {
    await program.parseAsync(words.length === 0 ? ['serve'] : words, { from: 'user' });
    return true;
  } catch (error) {
    shell.exitCode =
      error instanceof CommanderError
        ? usageExitCode(shell, error, commandIn(program, words))
        : await exitCodeOf(shell, error);
    return false;
  }
}

/**
 * The command line of `pulse-bff`. If the arguments are wrong, the program throws `CommanderError` instead of printing
 * errors.
 */
export function createProgram(shell: Shell): Command {
  const program = new Command('pulse-bff')
    .description(
      'Serves pulses to readers and keeps the key secret. Environment variables configure it. Exit codes: 0 success, 1 failure, 2 invalid configuration or usage.',
    )
    .version(versionOf(new URL('../../package.json', import.meta.url)))
    .helpCommand('help [command]', 'display help for command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void shell.stdout.write(text),
      writeErr: (text) => void shell.stderr.write(text),
      outputError: () => {},
    });
  program
    .command('serve')
    .description('serve readers (the default)')
    .action(() => serve(shell));
  program
    .command('health')
    .description('exit with 0 if the instance at HOST and PORT is ready; for a container’s health check')
    .action(() => health(shell));
  program
    .command('check')
    .description('check the key; print the account, its sources, the rate limit, the hosts and the allowed origins')
    .option(
      '--origin <url>',
      'also say whether pages on this origin may show cards; this does not change the exit code',
    )
    .option('--alert', 'also send a test message to PULSE_ALERT_URL; exit with 1 if it does not arrive')
    .option(...BFF_OPTION)
    .action((options: CheckOptions) => check(shell, options));
  program
    .command('doctor')
    .description('report what prevents the cards on a page from working, and the one line to change for each problem')
    .argument('<url>', 'the address of the page, or an origin')
    .option('--token <token>', 'also explain this token (use - to read it from standard input)')
    .option('--json', 'print JSON')
    .option('--allow-private', 'also fetch the page if its address is private')
    .option(...BFF_OPTION)
    .action((url: string, options: RunningDoctorOptions) => doctor(shell, url, options));
  addToken(program, shell);
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
      .argument('<run>', 'the id of the run, as in jobRunId')
      .action((run: string) => withhold(shell, run, isWithheld));
  return program;
}

const WITHHOLD = [
  ['withhold', true, 'stop showing the AI texts of a run: add it to PULSE_WITHHELD_FILE'],
  ['release', false, 'show the AI texts of a run again: remove it from PULSE_WITHHELD_FILE'],
] as const;

function addToken(program: Command, shell: Shell): void {
  const token = program.command('token').description('mint and explain tokens for private embeds');
  token
    .command('mint')
    .description('print a token, signed with a key from PULSE_TOKEN_KEYS_FILE or with a private key')
    .option('--source <id...>', 'the sources that the token allows')
    .option('--all-sources', 'the token allows all sources')
    .option('--origin <origin...>', 'the origins of the pages that may use the token')
    .option('--subject <id>', 'the reader, such as a user id')
    .option('--lifetime <seconds>', '1 to 600 (default: 300)')
    .option('--kid <kid>', 'the name of the key (default: the first shared secret)')
    .option('--private-key <file>', 'an Ed25519 private key as PEM')
    .action((options: MintOptions) => mint(shell, options));
  token
    .command('explain')
    .description('print what a token allows, or why the BFF refuses it')
    .argument('[token]', 'the token (default: standard input)')
    .action((token: string | undefined) => explain(shell, token));
}

// Each command loads only the code that it needs. A health check runs every few seconds and must not load the server.

async function serve(shell: Shell): Promise<void> {
  const config = await readFullConfig(shell);
  const { runServer } = await import('./serve.ts');
  await runServer(config);
}

async function health(shell: Shell): Promise<void> {
  const { PORT, HOST } = variables;
  const { PORT: port, HOST: host } = readSettings(shell.env, { PORT, HOST });
  if (port === 0) throw new ConfigError(['PORT: must be the port that the instance listens on, not 0']);
  const { checkHealth } = await import('./health.ts');
  const { isReady, line } = await checkHealth({ port, host });
  (isReady ? print : warn)(shell, line);
  shell.exitCode = isReady ? EXIT.done : EXIT.failed;
}

interface CheckOptions {
  readonly origin?: string;
  readonly alert?: boolean;
  readonly bff?: string;
}

async function check(shell: Shell, { origin: page, alert = false, bff }: CheckOptions): Promise<void> {
  const { openTestAlert } = await import('./test-alert.ts');
  const sendAlert = alert ? await openTestAlert(shell.env) : undefined;
  const running = await runningBff(shell, bff);
  const { runningReport } = await import('./running-report.ts');
  const { works, lines } = running ? runningReport(running, page) : await checkOwn(shell, page);
  const sent = await sendAlert?.();
  print(shell, [...lines, ...(sent ? [sent.line] : [])].join('\n'));
  shell.exitCode = works && sent?.arrived !== false ? EXIT.done : EXIT.failed;
}

/** Checks the key that this shell's variables set. */
async function checkOwn(shell: Shell, page: string | undefined): Promise<{ works: boolean; lines: readonly string[] }> {
  const config = await readConfigAloud(shell);
  const { checkKey, expiryLines, originLines } = await import('./check.ts');
  const { chartRefusals } = await import('../features/images/refused-charts.ts');
  const { imageVariables } = await import('../features/images/variables.ts');
  const { keyFirstSeen } = await import('./key-first-seen.ts');
  const { alertVariables } = await import('../features/alerts/variables.ts');
  const { redisVariables } = await import('../features/redis/address.ts');
  const { stateFolderVariables } = await import('../features/state-folder/open-state-folder.ts');
  const { readTokenKeys, tokenVariables } = await import('../features/tokens/token-keys-file.ts');
  const origins = originLines(config, page);
  const { key, hostClient } = await openHosts(shell, config);
  const { PULSE_TOKEN_KEYS_FILE: tokenKeysFile } = readSettings(shell.env, tokenVariables);
  if (tokenKeysFile !== undefined) await readTokenKeys(tokenKeysFile);
  const hosts = { main: config.baseUrl, ...(config.altBaseUrl !== undefined && { alt: config.altBaseUrl }) };
  const refusalOf = chartRefusals(config, readSettings(shell.env, imageVariables));
  const { works, lines } = await checkKey(hostClient, hosts, refusalOf);
  const { publicUrl } = config;
  const settings = readSettings(shell.env, { ...alertVariables, ...redisVariables, ...stateFolderVariables });
  const firstSeenMs = await keyFirstSeen({ ...settings, publicUrl }, key.current().name, (line) => warn(shell, line));
  const expiryFacts = { statedDay: settings.PULSE_API_KEY_EXPIRES, firstSeenMs };
  key.close();
  return { works, lines: [...lines, ...expiryLines(expiryFacts, Date.now()), ...origins] };
}

interface RunningDoctorOptions extends DoctorOptions {
  readonly bff?: string;
}

async function doctor(shell: Shell, url: string, { bff, ...options }: RunningDoctorOptions): Promise<void> {
  const { diagnosisLines, doctorForRunning } = await import('./doctor.ts');
  const { runningFacts, runningLines } = await import('./running-report.ts');
  const running = await runningBff(shell, bff);
  const diagnosis = running ? await doctorForRunning(running, url, options) : await doctorOwn(shell, url, options);
  if (options.json === true)
    print(shell, JSON.stringify({ ...diagnosis, ...(running && { bff: runningFacts(running) }) }, null, 2));
  else print(shell, [...(running ? [...runningLines(running), ''] : []), ...diagnosisLines(diagnosis)].join('\n'));
  shell.exitCode = diagnosis.ok ? EXIT.done : EXIT.failed;
}

/** Diagnoses a page, based on this shell's variables. */
async function doctorOwn(shell: Shell, url: string, options: DoctorOptions): Promise<Diagnosis> {
  const { doctorFor } = await import('./doctor.ts');
  const config = await readConfigAloud(shell);
  if (!config.hasPublicUrl)
    warn(shell, `PULSE_PUBLIC_URL is not set, so the page is checked for a BFF at ${config.publicUrl}. ${ASK}`);
  const { key, hostClient } = await openHosts(shell, config);
  try {
    return await doctorFor(config, hostClient, url, options);
  } finally {
    key.close();
  }
}

/**
 * Returns the running BFF to ask; undefined if this shell's variables are used instead. If required variables are
 * missing, a misspelled variable may be the reason.
 */
async function runningBff(shell: Shell, url: string | undefined): Promise<RunningBff | undefined> {
  const { runningBffFor } = await import('./running-bff.ts');
  const running = await runningBffFor(shell.env, url);
  if (running && url === undefined) await warnOfUnknownVariables(shell);
  return running;
}

async function mint(shell: Shell, options: MintOptions): Promise<void> {
  const { mintTokenFor } = await import('./token.ts');
  print(shell, await mintTokenFor(shell.env, options));
  await warnOfUnknownVariables(shell);
}

async function explain(shell: Shell, given: string | undefined): Promise<void> {
  const { explainTokenFor } = await import('./token.ts');
  const { printable } = await import('../lib/printable.ts');
  const { lines, isAccepted } = await explainTokenFor(shell.env, given);
  print(shell, lines.map(printable).join('\n'));
  if (isAccepted === undefined)
    throw new ConfigError(['PULSE_TOKEN_KEYS_FILE: is required to check whether the token is accepted']);
  await warnOfUnknownVariables(shell);
  shell.exitCode = isAccepted ? EXIT.done : EXIT.failed;
}

async function exportFiles(shell: Shell, dir: string, { images = false }: { images?: boolean }): Promise<void> {
  const config = await readConfigAloud(shell);
  const { imageVariables } = await import('../features/images/variables.ts');
  const { PULSE_IMAGES: mode, PULSE_IMAGE_HOSTS: hosts } = readSettings(shell.env, imageVariables);
  const withImages = images || mode === 'proxy';
  const faults = [
    ...(config.access === 'token' ? [PRIVATE_FAULT] : []),
    ...(withImages ? imageFaults(config, hosts) : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const { exportTo } = await import('./export.ts');
  const withFrames = config.hasPublicUrl;
  const isNew = await exportTo(config, dir, { withImages, withFrames, output: shell.stdout });
  shell.exitCode = isNew ? EXIT.done : EXIT.failed;
}

/** Charts are fetched only from the hosts in PULSE_IMAGE_HOSTS, and cards find the charts by their full address. */
function imageFaults({ hasPublicUrl }: Config, hosts: readonly string[]): string[] {
  return [
    ...(hosts.length === 0 ? ['PULSE_IMAGE_HOSTS: is required when charts are exported'] : []),
    ...(hasPublicUrl ? [] : ['PULSE_PUBLIC_URL: is required when charts are exported']),
  ];
}

async function withhold(shell: Shell, run: string, isWithheld: boolean): Promise<void> {
  const { withholdRun } = await import('./withhold.ts');
  print(shell, await withholdRun(shell.env, run, isWithheld));
  await warnOfUnknownVariables(shell);
}

/** Opens the key and the hosts for a command that makes its own calls. */
async function openHosts(shell: Shell, config: Config) {
  const { HostClient } = await import('../upstream/host-client.ts');
  const { fixedKey } = await import('../upstream/key-source.ts');
  const { keyFileVariables, openKeyFile } = await import('../features/key-file/key-file.ts');
  const { PULSE_API_KEY_FILE: path = '' } = readSettings(shell.env, keyFileVariables);
  const [clock, { apiKey, reloadMs }] = [systemClock, config];
  const key = apiKey
    ? fixedKey(apiKey)
    : await openKeyFile(path, { clock, reloadMs, warn: (line) => warn(shell, line) });
  return { key, hostClient: new HostClient(config, { key, clock }) };
}

/** Reads the variables for the core and for all features. */
async function readFullConfig(shell: Shell): Promise<Config> {
  const { FEATURE_VARIABLES } = await import('../features.ts');
  return readConfig(shell.env, FEATURE_VARIABLES);
}

/** Reads the configuration, and prints its warnings to standard error. */
async function readConfigAloud(shell: Shell): Promise<Config> {
  const config = await readFullConfig(shell);
  for (const warning of config.warnings) warn(shell, warning);
  return config;
}

/** Prints why a command failed. Returns the exit code. */
async function exitCodeOf(shell: Shell, error: unknown): Promise<number> {
  if (!(error instanceof ConfigError)) {
    warn(shell, error instanceof Error ? error.message : 'Cannot continue: unknown reason');
    return EXIT.failed;
  }
  warn(shell, error.message);
  await warnOfUnknownVariables(shell);
  return EXIT.badUsage;
}

async function warnOfUnknownVariables(shell: Shell): Promise<void> {
  const { FEATURE_VARIABLES } = await import('../features.ts');
  for (const line of unknownVariableWarnings(shell.env, FEATURE_VARIABLES)) warn(shell, line);
}

/** The command that the words name, such as `token mint`. */
export function commandIn(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => command.commands.find((each) => each.name() === word) ?? command, program);
}

function usageExitCode(shell: Shell, error: CommanderError, command: Command): number {
  if (error.exitCode === 0) return EXIT.done;
  // `pulse-bff token` without a command prints its help.
  if (error.code !== 'commander.help')
    warn(shell, `${usageFault(error, command)}\nRun pulse-bff --help for all commands`);
  return EXIT.badUsage;
}

function print(shell: Shell, text: string): void {
  shell.stdout.write(`${text}\n`);
}

function warn(shell: Shell, text: string): void {
  shell.stderr.write(`${text}\n`);
}

function versionOf(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** A word that may be repeated in a message. Anything else on a command line could be a key. */
const PLAIN_WORD = /^-{0,2}[a-z][a-z-]{0,23}$/i;

/** Commander's message with the nearest known word, and without words that could be a key. */
export function usageFault({ message }: CommanderError, command: Command): string {
  const said = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(but got \d+): [^]*$/, '$1')
    .replace(/'([^]*)'/, (quoted, words: string) => (isRepeatable(words) ? quoted : 'that is not repeated here'));
  return said + nearestTo(message, command);
}

/** The nearest word that `command` knows, for a message about an unknown word. Commander suggests only similar words. */
function nearestTo(message: string, command: Command): string {
  const [, kind, word = ''] = /unknown (command|option) '([^']*)'/.exec(message) ?? [];
  if (kind === undefined || message.includes('Did you mean')) return '';
  const commands = command.commands.map((each) => each.name());
  const options = [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  return ` (the nearest is ${closestMatch(word, kind === 'command' ? commands : options)})`;
}

/** Words such as `<url>` come from commander rather than from the user. */
function isRepeatable(words: string): boolean {
  return words.split(' ').every((word) => PLAIN_WORD.test(word) || /^<[a-z.]+>$/.test(word));
}
