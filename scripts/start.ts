import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDemo } from '@pulse-card/demo/data/build-demo';
import { DEMO_ACCOUNT_ID } from '@pulse-card/demo/data/demo-ids';
import { startSteps } from './build-steps.ts';
import { bannerFor } from './start/banner.ts';
import { ensureDemoKey } from './start/demo-key.ts';
import { preparePlan, warningsOf } from './start/plan.ts';
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
} from './start/servers.ts';
import { readArguments, UsageError } from './usage.ts';
import { nodeStep, reportFailures, runSteps, type Step } from './steps.ts';

const EXIT = { done: 0, failed: 1, badUsage: 2 } as const;

/** How long, in ms, to wait for the BFF to call the service. */
const FIRST_ANSWER_WITHIN_MS = 3_000;

const servers: ServerProcess[] = [];
let isStopping = false;

// In `npm start | head`, nothing reads the rest of the output, but the servers keep running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

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
  const warnings = warningsOf(process.env);
  for (const warning of warnings) console.error(warning);
  const plan = await preparePlan(process.env);
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
  if (plan.isHosted) await warnOfService(urlOf(plan.ports.bffAdmin));
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
      title: 'Create the demo’s key',
      async work() {
        ensureDemoKey({ main: SERVICE_MAIN, account: DEMO_ACCOUNT_ID, keyFile: keyFileIn(plan.dataFolder), env });
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
