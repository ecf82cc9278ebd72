import { resolve } from 'node:path';
import { ConfigError, readConfig, unknownVariables } from '@pulse-card/bff/config';
import { unknownVariableWarnings } from '@pulse-card/bff/config/names';
import { ConfigError as ServiceConfigError, readServeConfig } from '@pulse-card/service/config';
import { ROOT } from '../run.ts';
import { UsageError } from '../usage.ts';
import { portsFrom, refuseEqualPorts, START_PORTS, takenPorts } from './addresses.ts';
import { claimFolder, usedFolder } from './data-folder.ts';
import { isHosted } from './hosted.ts';
import { bffServer, serviceServer, type StartPlan, VARIABLES } from './servers.ts';

/** A warning for each variable that `npm start` doesn't know. */
export function warningsOf(env: NodeJS.ProcessEnv): string[] {
  const lines = unknownVariableWarnings(Object.keys(env), VARIABLES);
  return lines.map((line) => line.replace('pulse-bff', 'Pulse Card'));
}

/**
 * Reads the environment and claims the data folder. Throws if a variable is invalid, or if a port or the data folder is
 * in use. Removes the variables that only `npm start` reads from `env`.
 */
export async function preparePlan(env: NodeJS.ProcessEnv): Promise<StartPlan> {
  const plan = planFrom(env);
  const { bff, bffAdmin, demo } = plan.ports;
  const used = plan.isHosted ? { bff, bffAdmin, demo } : plan.ports;
  refuseEqualPorts(used);
  refuseBadVariables(plan, env);
  const uses = [await takenPorts(used), usedFolder(plan.dataFolder)].filter((line) => line !== undefined);
  if (uses.length > 0) throw new Error(uses.join('\n'));
  claimFolder(plan.dataFolder);
  return plan;
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
 * Throws a `UsageError` with every error in the variables of the BFF or of the service, because these errors would
 * otherwise appear only after the build.
 */
function refuseBadVariables(plan: StartPlan, env: NodeJS.ProcessEnv): void {
  const bff = { ...env, ...bffServer(plan).env };
  const service = { ...env, ...serviceServer(plan).env };
  // `warningsOf()` lists the unknown variables.
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
