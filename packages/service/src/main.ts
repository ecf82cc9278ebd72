#!/usr/bin/env node
import './runtime.ts';
import { readFileSync } from 'node:fs';
import { KEY_EXPIRES_IN_DAYS, KEY_SCOPES } from '@pulse-card/contract';
import { Command } from 'commander';
import { CommandRefused } from './command-refused.ts';
import { type CreateKeyOptions, createKey, endKey, printKeys } from './commands/keys.ts';
import { importFile } from './commands/import.ts';
import { serve } from './commands/serve.ts';
import { variableLines } from './commands/variable-lines.ts';
import { ConfigFaulty, serveVariables } from './config.ts';
import { databaseFault } from './database/database-fault.ts';
import { StartFailed } from './start-failed.ts';

const program = new Command('pulse-service').description('The sources-and-pulses service.').version(ownVersion());

program
  .command('serve')
  .description('migrate the database and listen on PORT and ALT_PORT (the default)')
  .addHelpText('after', () => `\nEnvironment:\n${variableLines(serveVariables.shape).join('\n')}`)
  .action(() => serve(process.env));

program
  .command('import')
  .argument('<file>', 'JSON document; its charts are PNG files beside it')
  .description('load accounts, organizations, sources, connections and runs: all or nothing')
  .action((file: string) => importFile(process.env, file));

const keys = program.command('keys').description('make, list and revoke API keys');

keys
  .command('create')
  .description('print a new key, once')
  .requiredOption('--account <id>', 'account that the key speaks for')
  .option('--scopes <list>', 'what it may do, comma-separated', KEY_SCOPES.join(','))
  .option('--expires-in-days <days>', 'how long it works', String(KEY_EXPIRES_IN_DAYS))
  .action((options: CreateKeyOptions) => createKey(process.env, options));

keys
  .command('list')
  .description('show every key, never its text')
  .action(() => printKeys(process.env));

keys
  .command('revoke')
  .argument('<id>', 'id of the key, as `keys list` shows it')
  .description('end a key at once')
  .action((id: string) => endKey(process.env, id));

try {
  // Not as the library's default command, to which every mistyped one would be an argument.
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']);
} catch (error) {
  for (const line of linesOf(error)) process.stderr.write(`pulse-service: ${line}\n`);
  process.exitCode = 1;
}

function linesOf(error: unknown): string[] {
  const expected = error instanceof ConfigFaulty || error instanceof StartFailed || error instanceof CommandRefused;
  if (expected) return error.message.split('\n');
  return [`Cannot go on: ${databaseFault(error)}`];
}

function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
