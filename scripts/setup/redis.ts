import { pathOf } from '../run.ts';
import { installFromSystem } from './system-packages.ts';

/** The variable that tells every test which Redis server to start. */
export const REDIS_VARIABLE = 'PULSE_REDIS_SERVER';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** Finds a Redis or Valkey server, else asks the system's package manager; undefined when both fail. */
export async function provideRedis(): Promise<string | undefined> {
  const installed = found();
  if (installed !== undefined) return said(installed, 'installed on this machine');
  console.log("Redis server: none found, asking the system's package manager …");
  await installFromSystem({ apt: 'redis-server', brew: 'redis', dnf: 'redis' });
  const provided = found();
  return provided === undefined ? undefined : said(provided, "from the system's package manager");
}

function found(): string | undefined {
  return PROGRAMS.map(pathOf).find((path) => path !== undefined);
}

function said(path: string, origin: string): string {
  console.log(`Redis server: ${path} (${origin})`);
  return path;
}
