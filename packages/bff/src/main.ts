#!/usr/bin/env node
import './runtime.ts';
import { Command } from 'commander';
import { checkKey } from './check.ts';
import { systemClock } from './clock.ts';
import { type Config, ConfigRefused, readConfig } from './config.ts';
import { openKeyRing } from './core.ts';
import { runExport } from './export/run-export.ts';
import { openTokenKeys } from './open-token-keys.ts';
import { runServer } from './run-server.ts';
import { createHttpUpstream } from './upstream/http-upstream.ts';
import type { KeyRing } from './upstream/key-ring.ts';

/** What the process ends with. */
const EXIT = { failed: 1, badConfiguration: 2 } as const;

/** What was not understood may be a key that somebody wrote into a command line: it is not repeated. */
const UNKNOWN_WORDS = 'Cannot begin: the command line has words that are no command of this program';

/** A file is read by whoever has its address. */
const PRIVATE_FAULT = 'PULSE_ACCESS: must be public for an export, for whoever has its address can read a file';

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

program
  .command('export')
  .description(
    'write the pulses as files for any static host; exit 0 when all are new, 1 when not, 2 on bad configuration',
  )
  .argument('<dir>', 'a folder of its own')
  .option('--images', 'the charts, too (as PULSE_IMAGES=proxy does)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.badConfiguration))
  .action((dir: string, { images = false }: { images?: boolean }) => orExit(() => exportTo(dir, images)));

await program.parseAsync();

async function exportTo(dir: string, asked: boolean): Promise<void> {
  const config = configOrExit(EXIT.badConfiguration);
  const withImages = asked || config.images === 'proxy';
  const faults = [...(config.access === 'token' ? [PRIVATE_FAULT] : []), ...(withImages ? imageFaults(config) : [])];
  if (faults.length > 0) return exitWith(EXIT.badConfiguration, faults.join('\n'));
  const key = await keyOrExit(config);
  const withFrames = Boolean(process.env['PULSE_PUBLIC_URL']);
  const isNew = await runExport(config, dir, { key, withImages, withFrames, screen: process.stdout });
  key.close();
  process.exitCode = isNew ? 0 : EXIT.failed;
}

/** Charts come from named hosts alone, and cards find them by their whole address. */
function imageFaults({ imageHosts }: Config): string[] {
  return [
    ...(imageHosts.length === 0 ? ['PULSE_IMAGE_HOSTS: is required when charts are exported'] : []),
    ...(process.env['PULSE_PUBLIC_URL'] ? [] : ['PULSE_PUBLIC_URL: is required when charts are exported']),
  ];
}

async function check(): Promise<void> {
  const config = configOrExit(EXIT.badConfiguration);
  const key = await keyOrExit(config);
  (await openTokenKeys(config, systemClock, printFault).catch(refuse))?.close();
  const upstream = createHttpUpstream({ ...config, key, timeoutMs: config.upstreamTimeoutMs });
  const hosts = { main: config.baseUrl, ...(config.altBaseUrl !== undefined && { alt: config.altBaseUrl }) };
  const { works, lines } = await checkKey(upstream, hosts);
  key.close();
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = works ? 0 : EXIT.failed;
}

function keyOrExit(config: Config): Promise<KeyRing> {
  return openKeyRing(config, systemClock, printFault).catch(refuse);
}

function refuse({ message }: Error): never {
  return exitWith(EXIT.badConfiguration, message);
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
    if (error instanceof ConfigRefused) exitWith(EXIT.badConfiguration, error.message);
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
