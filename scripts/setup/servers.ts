import { pathOf } from '../run.ts';
import { installFromSystem, type SystemPackage } from './system-packages.ts';

interface Server extends SystemPackage {
  /** The variable that tells every test which program to start. */
  readonly variable: string;
  /** The possible names of the program. */
  readonly programs: readonly string[];
}

/** The servers and browsers that the tests start and that npm doesn't provide, except for Chromium. */
export const SERVERS = {
  redis: {
    title: 'Redis',
    reason: 'the tests with several instances',
    variable: 'PULSE_REDIS_SERVER',
    programs: ['redis-server', 'valkey-server'],
    names: { apt: 'redis-server', brew: 'redis', dnf: 'redis' },
  },
  nginx: {
    title: 'nginx',
    reason: 'the tests with caches in front of the BFF',
    variable: 'PULSE_NGINX',
    programs: ['nginx'],
    names: { apt: 'nginx-light', brew: 'nginx', dnf: 'nginx' },
  },
  varnish: {
    title: 'Varnish',
    reason: 'the tests with caches in front of the BFF',
    variable: 'PULSE_VARNISHD',
    programs: ['varnishd'],
    names: { apt: 'varnish', brew: 'varnish', dnf: 'varnish' },
  },
  firefox: {
    title: 'Firefox',
    reason: 'the tests in other browsers',
    variable: 'PULSE_FIREFOX',
    programs: ['firefox', 'firefox-esr'],
    names: { apt: 'firefox-esr', brew: 'firefox', dnf: 'firefox' },
  },
  webkit: {
    title: 'WebKitGTK',
    reason: 'the tests in other browsers',
    variable: 'PULSE_WEBKIT_DRIVER',
    programs: ['WebKitWebDriver'],
    names: { apt: 'webkit2gtk-driver', dnf: 'webkit2gtk-driver' },
  },
  display: {
    title: 'Xvfb',
    reason: 'the tests in other browsers',
    variable: 'PULSE_XVFB',
    programs: ['Xvfb'],
    names: { apt: 'xvfb', dnf: 'xorg-x11-server-Xvfb' },
  },
} as const satisfies Record<string, Server>;

/** Finds the program of a server, or installs it if there is none. Resolves to undefined if both fail. */
export async function provideServer(server: Server): Promise<string | undefined> {
  const named = process.env[server.variable];
  if (named !== undefined && named !== '') return named;
  const installed = find(server.programs);
  if (installed !== undefined) return installed;
  await installFromSystem(server);
  return find(server.programs);
}

/**
 * Finds a program in the `PATH`, or in the folder in which Debian installs servers. Only root has this folder in its
 * `PATH`.
 */
function find(programs: readonly string[]): string | undefined {
  return programs
    .flatMap((name) => [name, `/usr/sbin/${name}`])
    .map(pathOf)
    .find((path) => path !== undefined);
}
