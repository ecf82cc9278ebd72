import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command, CommanderError } from 'commander';
import { bffAddress, BffClient } from './bff-client.ts';
import { createPulseServer } from './pulse-server.ts';
import { readTokenFile, TokenError } from './token.ts';
import { VERSION } from './version.ts';

/** Exit codes. */
const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

interface Options {
  readonly bff: string;
  readonly tokenFile?: string;
}

/** Runs `pulse-mcp`: serves MCP on standard input and output until the client closes them. */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function createProgram(): Command {
  return new Command('pulse-mcp')
    .description(
      'Shows pulses to AI chat clients: an MCP server on standard input and output. Exit codes: 0 done, 1 it could not be done, 2 bad configuration or usage.',
    )
    .version(VERSION)
    .requiredOption('--bff <url>', 'the public address of the BFF, such as https://pulse.example.com')
    .option('--token-file <file>', 'a file that holds the token for private pulses; it is read before each call')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .action(serve);
}

async function serve({ bff, tokenFile }: Options): Promise<void> {
  const address = bffAddress('--bff', bff, tokenFile !== undefined);
  const token = tokenFile === undefined ? undefined : () => readTokenFile(tokenFile);
  await token?.();
  const client = new BffClient({ bff: address, token });
  serveStdio(() => createPulseServer(client));
}

/** Prints why the server can't start; returns what the process ends with. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const [message, code] = faultOf(error);
  process.stderr.write(`${message}\n`);
  return code;
}

function faultOf(error: unknown): [message: string, exitCode: number] {
  if (error instanceof TokenError) return [`--token-file: ${error.message}`, EXIT.badUsage];
  if (error instanceof TypeError) return [error.message, EXIT.badUsage];
  if (!(error instanceof CommanderError)) return ['Cannot start: unknown error', EXIT.failed];
  return [`${usageFault(error)}\nRun pulse-mcp --help for all options`, EXIT.badUsage];
}

/** The message of commander, without values: one may be a token. */
function usageFault({ message }: CommanderError): string {
  return message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/(but got \d+): [^]*$/, '$1')
    .replace(/^unknown option '(-{1,2}[a-z-]{0,24})[^']*'/, "unknown option '$1'");
}
