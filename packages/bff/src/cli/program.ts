import { Command, type CommanderError } from 'commander';
import type { DoctorOptions } from './doctor.ts';
import type { MintOptions } from './token.ts';

/** What each command does; a rejection says why it could not be done. */
export interface Commands {
  readonly serve: () => Promise<void>;
  readonly health: () => Promise<void>;
  readonly check: (options: { origin?: string }) => Promise<void>;
  readonly doctor: (url: string, options: DoctorOptions) => Promise<void>;
  readonly mint: (options: MintOptions) => Promise<void>;
  readonly explain: (token: string | undefined) => Promise<void>;
  readonly exportTo: (dir: string, options: { images?: boolean }) => Promise<void>;
}

/** The command line of `pulse-bff`. Throws `CommanderError` instead of printing errors. Without a command it is `serve`. */
export function createProgram(version: string, commands: Commands): Command {
  const program = new Command('pulse-bff')
    .description(
      'Serves pulses to readers and keeps the key secret. Environment variables configure it. Exit codes: 0 done, 1 it could not be done, 2 bad configuration or usage.',
    )
    .version(version)
    .helpCommand('help [command]', 'display help for command')
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  program
    .command('serve')
    .description('serve readers (the default)')
    .action(() => commands.serve());
  program
    .command('health')
    .description('exit 0 when the instance at HOST and PORT is ready; for the health check of a container')
    .action(() => commands.health());
  program
    .command('check')
    .description('check the key; print the account, its sources, the rate limit, the hosts and the allowed origins')
    .option(
      '--origin <url>',
      'also say whether pages of this origin may show cards; the exit code stays that of the key',
    )
    .action(commands.check);
  addDoctor(program, commands);
  addToken(program, commands);
  program
    .command('export')
    .description('write pulses as files for a static host')
    .argument('<dir>', 'a folder of its own')
    .option('--images', 'write the charts too (as PULSE_IMAGES=proxy does)')
    .action(commands.exportTo);
  return program;
}

function addDoctor(program: Command, { doctor }: Commands): void {
  program
    .command('doctor')
    .description('say what keeps the cards of a page from working, each with the one line to change')
    .argument('<url>', 'the address of the page, or an origin')
    .option('--token <token>', 'explain this token, too; - reads it from standard input')
    .option('--json', 'print JSON')
    .option('--allow-private', 'fetch the page from a private address, too')
    .action(doctor);
}

function addToken(program: Command, { mint, explain }: Commands): void {
  const token = program.command('token').description('mint and explain tokens for private embeds');
  token
    .command('mint')
    .description('print a token, signed with a key of PULSE_TOKEN_KEYS_FILE or with a private key')
    .option('--source <id...>', 'the sources that the token allows')
    .option('--all-sources', 'the token allows all sources')
    .option('--origin <origin...>', 'the origins of the pages that may use it')
    .option('--lifetime <seconds>', '1 to 600 (default: 300)')
    .option('--kid <kid>', 'the name of the key (default: the first shared secret)')
    .option('--private-key <file>', 'an Ed25519 private key as PEM')
    .action(mint);
  token
    .command('explain')
    .description('print what a token allows, or why the BFF refuses it')
    .argument('[token]', 'the token (default: standard input)')
    .action(explain);
}

/** A word that may be repeated in a message. Anything else on a command line may be a key. */
const PLAIN_WORD = /^-{0,2}[a-z][a-z-]{0,23}$/i;

/** What commander says of a command line, with the nearest word that it knows, but without words that may be a key. */
export function usageFault({ message }: CommanderError): string {
  return message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(but got \d+): [^]*$/, '$1')
    .replace(/'([^]*)'/, (quoted, words: string) => (isRepeatable(words) ? quoted : 'that is not repeated here'));
}

/** The usage of an argument is commander's, not the user's. */
function isRepeatable(words: string): boolean {
  return words.split(' ').every((word) => PLAIN_WORD.test(word) || /^<[a-z.]+>$/.test(word));
}
