import { createServer } from 'node:net';
import { UsageError } from '../usage.ts';

/** The ports of everything that `npm start` runs, each with its variable and its default. */
export const START_PORTS = {
  service: { variable: 'PULSE_SERVICE_PORT', fallback: 4010 },
  serviceAlt: { variable: 'PULSE_SERVICE_ALT_PORT', fallback: 4011 },
  bff: { variable: 'PULSE_BFF_PORT', fallback: 4020 },
  bffAdmin: { variable: 'PULSE_ADMIN_PORT', fallback: 4021 },
  demo: { variable: 'PULSE_DEMO_PORT', fallback: 4030 },
} as const;

/** The name of a server that `npm start` runs. */
export type StartPort = keyof typeof START_PORTS;

/** Reads the ports from the environment. Throws a `UsageError` with the variable's name if a value isn't a port. */
export function portsFrom(env: NodeJS.ProcessEnv): Record<StartPort, number> {
  const entries = Object.entries(START_PORTS).map(([name, { variable, fallback }]) => {
    const port = Number(env[variable]?.trim() || fallback);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new UsageError(`Can’t start: ${variable} must be a port from 1 to 65535`);
    return [name, port];
  });
  return Object.fromEntries(entries) as Record<StartPort, number>;
}

/** Throws a `UsageError` with the names of both variables if two servers have the same port. */
export function refuseEqualPorts(ports: Partial<Record<StartPort, number>>): void {
  const variables = new Map<number, string>();
  for (const [name, port] of Object.entries(ports) as [StartPort, number][]) {
    const { variable } = START_PORTS[name];
    const other = variables.get(port);
    if (other !== undefined)
      throw new UsageError(`Can’t start: ${other} and ${variable} are both ${port}; set one of them to another port`);
    variables.set(port, variable);
  }
}

/** Resolves to a line with all ports that can't be opened, each with its variable, or to undefined if all can be. */
export async function takenPorts(ports: Partial<Record<StartPort, number>>): Promise<string | undefined> {
  const taken: string[] = [];
  const forbidden: string[] = [];
  for (const [name, port] of Object.entries(ports) as [StartPort, number][]) {
    const code = await faultOf(port);
    if (code !== undefined) (code === 'EACCES' ? forbidden : taken).push(`${port} (${START_PORTS[name].variable})`);
  }
  if (forbidden.length > 0)
    return `Can’t start: this user isn’t allowed to open these ports: ${forbidden.join(', ')}. Set the variables to ports above 1023`;
  if (taken.length === 0) return undefined;
  return `Can’t start: Pulse Card may already be running, because these ports are in use: ${taken.join(', ')}. Stop the programs that use them, or set the variables to other ports`;
}

/** Resolves to the code of the error that keeps a port from being opened, or to undefined. */
function faultOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    probe.listen(port, () => probe.close(() => resolve(undefined)));
  });
}
