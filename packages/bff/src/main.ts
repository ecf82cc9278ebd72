#!/usr/bin/env node
import './runtime.ts';
import { Command } from 'commander';
import { checkKey } from './check.ts';
import { systemClock } from './clock.ts';
import { type Config, ConfigRefused, readConfig } from './config.ts';
import { openKeyRing } from './core.ts';
import { openTokenKeys } from './open-token-keys.ts';
import { runServer } from './run-server.ts';
import { createHttpUpstream } from './upstream/http-upstream.ts';

/** What the process ends with. */
const EXIT = { failed: 1, badConfigurationOfCheck: 2 } as const;

/** What was not understood may be a key that somebody wrote into a command line: it is not repeated. */
const UNKNOWN_WORDS = 'Cannot begin: the command line has words that are no command of this program';

const program = new Command('pulse-bff')
  .description('Shows pulses to readers and keeps the key to itself. Configured by environment variables alone.')
  .configureOutput({ outputError: (_text, write) => write(`${UNKNOWN_WORDS}\n`) })
  .showHelpAfterError();

program
  .command('serve', { isDefault: true })
  .description('serve readers (the default); exit 1 where that is not possible')
  .action(() => orExit(() => runServer(configOrExit(EXIT.failed))));

program
  .command('check')
  .description('check the key; exit 0 when it works, 1 when it does not, 2 on bad configuration')
  .action(() => orExit(check));

await program.parseAsync();

async function check(): Promise<void> {
  const config = configOrExit(EXIT.badConfigurationOfCheck);
  const refuse = ({ message }: Error): never => exitWith(EXIT.badConfigurationOfCheck, message);
  const key = await openKeyRing(config, systemClock, printFault).catch(refuse);
  (await openTokenKeys(config, systemClock, printFault).catch(refuse))?.close();
  const upstream = createHttpUpstream({ ...config, key, timeoutMs: config.upstreamTimeoutMs });
  const hosts = { main: config.baseUrl, ...(config.altBaseUrl !== undefined && { alt: config.altBaseUrl }) };
  const { works, lines } = await checkKey(upstream, hosts);
  key.close();
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = works ? 0 : EXIT.failed;
}

function configOrExit(code: number): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigRefused) return exitWith(code, error.message);
    throw error;
  }
}

async function orExit(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    exitWith(EXIT.failed, error instanceof Error ? error.message : 'Cannot go on: unknown reason');
  }
}

function printFault(message: string): void {
  process.stderr.write(`${message}\n`);
}

function exitWith(code: number, message: string): never {
  printFault(message);
  process.exit(code);
}
