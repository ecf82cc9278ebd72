import { provideServer } from './server-program.ts';

/** The variable that tells every test which Redis server to start. */
export const REDIS_VARIABLE = 'PULSE_REDIS_SERVER';

/** Finds a Redis or Valkey server, else asks the system's package manager; undefined when both fail. */
export function provideRedis(): Promise<string | undefined> {
  return provideServer({
    title: 'Redis server',
    programs: ['redis-server', 'valkey-server'],
    packages: { apt: 'redis-server', brew: 'redis', dnf: 'redis' },
  });
}
