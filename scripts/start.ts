import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDemo } from '@pulse-card/demo/data/build-demo';
import { ConfigError, readConfig, unknownVariables } from '@pulse-card/bff/config';
import { unknownVariableWarnings } from '@pulse-card/bff/config/names';
import { DEMO_ACCOUNT_ID } from '@pulse-card/demo/data/demo-ids';
import { ConfigError as ServiceConfigError, readServeConfig } from '@pulse-card/service/config';
import { startSteps } from './build-steps.ts';
import { ROOT } from './run.ts';
import { bannerFor } from './start/banner.ts';
import { isHosted } from './start/hosted.ts';
import { portsFrom, refuseEqualPorts, START_PORTS, takenPorts } from './start/addresses.ts';
import { claimFolder, usedFolder } from './start/data-folder.ts';
import { renewDemoKey } from './start/demo-key.ts';
import { serviceWarning } from './start/service-check.ts';
import { type ServerOptions, type ServerProcess, startServer } from './start/server-process.ts';
import {
  bffServer,
  demoServer,
  keyFileIn,
  SERVICE_MAIN,
  serviceServer,
  serviceVariables,
  type StartPlan,
  urlOf,
  VARIABLES,
} from './start/servers.ts';
import { readArguments, UsageError } from './usage.ts';
import { nodeStep, reportFailures, runSteps, type Step } from './steps.ts';

const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/** How long, in ms, to wait for the BFF to call the service. */
const FIRST_ANSWER_WITHIN_MS = 3_000;

const servers: ServerProcess[] = [];
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void stop(EXIT.done, 'Stopping …'));

try {
  await start();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  await stop(error instanceof UsageError ? EXIT.badUsage : EXIT.failed, message);
}

async function start(): Promise<void> {
  const { values, positionals } = readArguments({ 'skip-build': { type: 'boolean' } });
  if (positionals.length > 0)
    throw new UsageError(`npm start accepts no arguments, but got "${positionals.join(' ')}"; see npm start -- --help`);
  const warnings = unknownVariableWarnings(Object.keys(process.env), VARIABLES).map((line) =>
    line.replace('pulse-bff', 'Pulse Card'),
  );
  for (const warning of warnings) console.error(warning);
  const plan = planFrom(process.env);
  const { bff, bffAdmin, demo } = plan.ports;
  const used = plan.isHosted ? { bff, bffAdmin, demo } : plan.ports;
  refuseEqualPorts(used);
  refuseBadVariables(plan);
  const uses = [await takenPorts(used), usedFolder(plan.dataFolder)].filter((line) => line !== undefined);
  if (uses.length > 0) throw new Error(uses.join('\n'));
  claimFolder(plan.dataFolder);
  const failures = await runSteps(
    [
      ...(values['skip-build'] ? [] : startSteps()),
      ...(plan.isHosted ? [] : [...demoDataSteps(plan), serverStep('Start the service', serviceServer(plan))]),
      serverStep('Start the BFF', bffServer(plan)),
      serverStep('Start the demo', demoServer(plan)),
    ],
    { stopAtFailure: true },
  );
  reportFailures(failures);
  if (failures.length > 0) return stop(failures.some(({ isUsage }) => isUsage) ? EXIT.badUsage : EXIT.failed);
  console.log(bannerFor(plan, warnings));
  if (plan.isHosted) await warnOfService(urlOf(bffAdmin));
}

async function warnOfService(adminUrl: string): Promise<void> {
  await sleep(FIRST_ANSWER_WITHIN_MS);
  const warning = await serviceWarning(adminUrl);
  if (warning !== undefined && !isStopping) console.error(warning);
}

/** Stops every server, then exits. */
async function stop(exitCode: number, reason?: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  if (reason !== undefined) console.error(reason);
  await Promise.all(servers.map((server) => server.stop()));
  process.exit(exitCode);
}

/**
 * Reads the environment. Removes the variables that only this program reads, because the servers would warn about them.
 */
function planFrom(env: NodeJS.ProcessEnv): StartPlan {
  const plan: StartPlan = {
    isHosted: isHosted(env),
    ports: portsFrom(env),
    dataFolder: resolve(ROOT, env['PULSE_DATA_DIR'] || '.data'),
    env: { ...env },
  };
  for (const { variable } of Object.values(START_PORTS)) delete env[variable];
  delete env['PULSE_DATA_DIR'];
  return plan;
}

/**
 * Throws a `UsageError` with every error in the BFF's or the service's variables, because these errors would otherwise
 * appear only after the build.
 */
function refuseBadVariables(plan: StartPlan): void {
  const bff = { ...process.env, ...bffServer(plan).env };
  const service = { ...process.env, ...serviceServer(plan).env };
  // Unknown variables have already been printed.
  const unknown = new Set(unknownVariables(bff));
  const faults = faultsOf(() => readConfig(bff)).filter((fault) => !unknown.has(fault));
  if (faults.length === 0 && !plan.isHosted) faults.push(...faultsOf(() => readServeConfig(service)));
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError || error instanceof ServiceConfigError) return error.faults;
    throw error;
  }
}

function demoDataSteps(plan: StartPlan): Step[] {
  const folder = join(plan.dataFolder, 'demo');
  const env = serviceVariables(plan);
  return [
    {
      title: 'Import the demo pulses',
      async work(progress) {
        const { file } = buildDemo({ folder });
        await nodeStep('Import', [SERVICE_MAIN, 'import', file], { env }).work(progress);
        rmSync(folder, { recursive: true });
      },
    },
    {
      title: 'Create a key for the demo',
      async work() {
        renewDemoKey({ main: SERVICE_MAIN, account: DEMO_ACCOUNT_ID, keyFile: keyFileIn(plan.dataFolder), env });
      },
    },
  ];
}

function serverStep(title: string, options: ServerOptions): Step {
  return {
    title,
    async work() {
      if (isStopping) return;
      const server = startServer(options);
      servers.push(server);
      await server.ready;
      void server.ended.then(() =>
        stop(EXIT.failed, `The ${server.name} has stopped unexpectedly; its log: ${server.logFile}`),
      );
    },
  };
}
