import { nodeFault } from '@pulse-card/contract/node-version';
import { Router } from 'express';
import { type Bff, openBff } from './bff.ts';
import { type Config, ConfigError, readConfig, type Variables } from './config.ts';
import { checkOptions, type PulseBffOptions } from './features/mount/mount.ts';
import { type PulseBff, pulseRouter } from './features/mount/pulse-router.ts';

export { ConfigError, type Variables } from './config.ts';
export type { PulseAuthorization, PulseBffOptions } from './features/mount/mount.ts';
export type { PulseBff } from './features/mount/pulse-router.ts';
export type { SourceRow } from './features/status/facts.ts';
export type { StatusSummary } from './features/status/problems.ts';
export type { StatusDocument } from './features/status/status.ts';
export type { StudioSettings } from './features/studio/studio.ts';
export type { Problem } from './lib/problem.ts';
export type { SourceFacts } from './pulses/pulses.ts';
export type { RedisStatus } from './pulses/shared-store.ts';
export type { LastFailure } from './upstream/target-backoffs.ts';
export type { KeyFileStatus, KeyStatus } from './upstream/key.ts';
export type { Diagnosis, Finding } from '@pulse-card/doctor';

/**
 * Creates the BFF as a router. `variables` uses the same names as the environment of `pulse-bff serve`, so you can pass
 * `process.env`. `PULSE_PUBLIC_URL` is the URL at which you mount the router. Responses with data are always `private,
 * no-cache`. Throws a `ConfigError` that lists every variable that is set but invalid; missing ones are reported on
 * first use (`ready`, a request, `pulse()`), so that a build without secrets works. Throws `Error` if Node is older
 * than 22.19. Throws `TypeError` if an option is unknown or isn't a function.
 */
export function createPulseBff(variables: Variables, options: PulseBffOptions = {}): PulseBff {
  const oldNode = nodeFault('createPulseBff()', process.versions.node);
  if (oldNode !== undefined) throw new Error(oldNode);
  checkOptions(options);
  const config = mountedConfig(variables);
  const opening = config instanceof ConfigError ? Promise.reject(config) : openBff(config, { mount: options });
  const router = pulseRouter(opening);
  openings.set(router, opening);
  return router;
}

/** The configuration for a mounted router, or the error to report on first use. */
function mountedConfig(variables: Variables): Config | ConfigError {
  try {
    return readConfig(variables, { isMounted: true });
  } catch (error) {
    if (error instanceof ConfigError && error.isIncomplete) return error;
    throw error;
  }
}

/**
 * Creates a router with `bff`'s status page (`/`) and Studio (`/studio/`). Anyone who can reach the router sees every
 * source. Mount it behind the application's login, at a separate path.
 */
export function createPulseStudio(bff: PulseBff): Router {
  const opening = openings.get(bff);
  if (opening === undefined)
    throw new TypeError('Can’t create the Studio: pass the result of createPulseBff() to createPulseStudio()');
  const router = Router({ caseSensitive: true });
  router.use((req, res, next) => void opening.then(({ operatorPages }) => operatorPages(req, res, next), next));
  return router;
}

const openings = new WeakMap<PulseBff, Promise<Bff>>();
