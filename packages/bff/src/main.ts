#!/usr/bin/env node
import { Command } from 'commander';
import { type Config, ConfigRefused, readConfig } from './config.ts';
import { runServer } from './run-server.ts';

const program = new Command('pulse-bff').description('Shows pulses to readers and keeps the key to itself.');

program
  .command('serve', { isDefault: true })
  .description('serve readers (the default)')
  .action(() => serve());

await program.parseAsync();

async function serve(): Promise<void> {
  const config = configOrExit(1);
  try {
    await runServer(config);
  } catch (error) {
    exitWith(1, error instanceof Error ? error.message : 'Cannot serve: unknown reason');
  }
}

function configOrExit(code: number): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigRefused) return exitWith(code, error.message);
    throw error;
  }
}

function exitWith(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
