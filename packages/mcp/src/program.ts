import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command, CommanderError } from 'commander';
import { bffAddress } from './bff-client.ts';
import { createPulseServer } from './mcp-server.ts';
import { readTokenFile, TokenError } from './token.ts';
import { VERSION } from './version.ts';

/** Runs `pulse-mcp`: serves MCP on standard input and output until the client closes them. */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    process.stderr.write(`${messageOf(error)}\n`);
    // The configuration or the usage is invalid.
    process.exitCode = 2;
  }
}

function createProgram(): Command {
  return new Command('pulse-mcp')
    .description(
      'Shows pulses in AI chat clients: an MCP server on standard input and output. Exit codes: 0 success, 1 failure, 2 invalid configuration or usage.',
    )
    .version(VERSION)
    .option('--bff <url>', 'the public URL of the BFF, such as https://pulse.example.com')
    .option('--token-file <file>', 'a file that contains the token for private pulses; it is read before each call')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .action(serve);
}

// `--bff` isn't declared as required, because the library reports a missing option before a misspelled one.
async function serve({ bff = '', tokenFile }: { readonly bff?: string; readonly tokenFile?: string }): Promise<void> {
  const address = bffAddress('--bff', bff, tokenFile !== undefined);
  const token = tokenFile === undefined ? undefined : () => readTokenFile(tokenFile);
  await token?.();
  serveStdio(() => createPulseServer({ bff: address, token }));
}

/** Why the server can't start. */
function messageOf(error: unknown): string {
  if (error instanceof TokenError) return `--token-file: ${error.message}`;
  if (error instanceof TypeError) return error.message;
  if (error instanceof CommanderError) return usageError(error);
  throw error;
}

/** Commander's message without values, because a value may be a token. */
function usageError({ message }: CommanderError): string {
  const said = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/(but got \d+): [^]*$/, '$1')
    .replace(/^unknown option '(-{1,2}[a-z-]{0,24})[^']*'/, "unknown option '$1'");
  return `${said}\nRun pulse-mcp --help for all options`;
}
