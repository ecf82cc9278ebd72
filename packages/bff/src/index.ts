import { Router } from 'express';
import { type Bff, openBff } from './bff.ts';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import { unknownVariableWarnings } from './config/variables.ts';
import type { AlertsStatus } from './features/alerts/alerts.ts';
import type { KeyExpiry } from './features/alerts/key-expiry.ts';
import type { ImagesFacts } from './features/images/images.ts';
import type { KeyFileStatus } from './features/key-file/key-file-report.ts';
import { FEATURE_VARIABLES, type VariableName } from './features.ts';
import type { StatusDocument as OwnStatusDocument } from './features/status/status-document.ts';
import type { WithheldStatus } from './features/withheld/withheld.ts';
import { mountOf } from './features/mount/mount.ts';
import { type PulseBffOptions, refuseBadOptions } from './features/mount/mount-options.ts';
import { type PulseBff, pulseRouter } from './features/mount/pulse-router.ts';
import { nodeFault } from './lib/node-version.ts';

export { ConfigError } from './config/config.ts';
export type { PulseAuthorization, PulseBffOptions } from './features/mount/mount-options.ts';
export type { PulseBff } from './features/mount/pulse-router.ts';
export type { VariableName } from './features.ts';
export type { Diagnosis, Finding } from '@pulse-card/doctor';
export type { StudioSettings } from './features/studio/studio.ts';

/** The variables of an environment. Unset variables are undefined. */
export type Variables = Readonly<Partial<Record<VariableName | (string & {}), string | undefined>>>;

/** The response of `GET /status`. */
export type StatusDocument = OwnStatusDocument &
  ImagesFacts & {
    readonly alerts: AlertsStatus;
    /** Null if the value is unknown. */
    readonly keyExpiry: KeyExpiry | null;
    /** Present only if `PULSE_API_KEY_FILE` is set. */
    readonly keyFile?: KeyFileStatus;
    /**
     * The error code of the last write to the state folder, such as `ENOSPC`; null if the write succeeded. Present only
     * if `PULSE_STATE_DIR` is set.
     */
    readonly stateDirFault?: string | null;
    /** Present only if `PULSE_WITHHELD_FILE` is set. */
    readonly withheld?: WithheldStatus;
  };

/**
 * Creates the BFF as a router. `variables` has the same names as the environment of `pulse-bff serve`, so you can pass
 * `process.env`. `PULSE_PUBLIC_URL` is the address at which you mount the router. Responses with data are always
 * `private, no-cache`. Throws `ConfigError` with every error in `variables`, followed by the unknown variables. Throws
 * `Error` if Node is older than 22.19. Throws `TypeError` if an option is unknown or isn't a function.
 */
export function createPulseBff(variables: Variables, options: PulseBffOptions = {}): PulseBff {
  const oldNode = nodeFault('createPulseBff()');
  if (oldNode !== undefined) throw new Error(oldNode);
  refuseBadOptions(options);
  const mount = mountOf(options);
  const config = configFrom({ ...asTexts(variables), ...MOUNTED });
  const opening = openBff(config, { mount: mount.feature });
  const router = pulseRouter(opening, { publicUrl: config.publicUrl, grantedTo: mount.grantedTo });
  openings.set(router, opening);
  return router;
}

/** A mounted BFF opens no port. `HOST` is the application's, and its `PORT` may be the default of `PULSE_ADMIN_PORT`. */
const MOUNTED = { PULSE_CACHE: 'private', HOST: undefined, PULSE_ADMIN_PORT: '0' };

/** If a variable is invalid or missing, the error also names unknown variables, because a misspelled name may be the reason. */
function configFrom(environment: Readonly<Record<string, string | undefined>>): Config {
  try {
    return readConfig(environment, FEATURE_VARIABLES);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.faults, ...unknownVariableWarnings(environment, FEATURE_VARIABLES)]);
  }
}

/** The values as an environment would contain them. Untyped code may pass a port as a number. */
function asTexts(variables: Readonly<Record<string, string | number | boolean | null | undefined>>): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value ?? '')]));
}

/**
 * Creates a router with the status page (`/`) and the Studio (`/studio/`) of `bff`. Anyone who can reach the router
 * sees every source. Mount the router behind the application's login, at a separate path.
 */
export function createPulseStudio(bff: PulseBff): Router {
  const opening = openings.get(bff);
  if (opening === undefined)
    throw new TypeError('Cannot create the Studio: pass createPulseStudio() the object that createPulseBff() returned');
  const router = Router({ caseSensitive: true });
  router.use(
    (request, response, next) => void opening.then(({ operatorPages }) => operatorPages(request, response, next), next),
  );
  return router;
}

const openings = new WeakMap<PulseBff, Promise<Bff>>();
