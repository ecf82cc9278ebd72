import { provideServer } from './server-program.ts';

/** The variables that tell the tests which caches to start in front of the BFF. */
export const NGINX_VARIABLE = 'PULSE_NGINX';
export const VARNISH_VARIABLE = 'PULSE_VARNISHD';

/** Finds nginx, else asks the system's package manager; undefined when both fail. */
export function provideNginx(): Promise<string | undefined> {
  return provideServer({
    title: 'nginx',
    programs: ['nginx'],
    packages: { apt: 'nginx-light', brew: 'nginx', dnf: 'nginx' },
  });
}

/** Finds Varnish, else asks the system's package manager; undefined when both fail. */
export function provideVarnish(): Promise<string | undefined> {
  return provideServer({
    title: 'Varnish',
    programs: ['varnishd'],
    packages: { apt: 'varnish', brew: 'varnish', dnf: 'varnish' },
  });
}
