import { Router } from 'express';
import { type Bff, openBff } from './bff.ts';
import { readConfig } from './config.ts';
import type { Variables } from './config-variables.ts';

export { ConfigError } from './config.ts';
export type { VariableName, Variables } from './config-variables.ts';
export type { Diagnosis, Finding } from '@pulse-card/doctor';
export type { StudioSettings } from './http/studio-router.ts';
export type { StatusDocument } from './observability/status-document.ts';

/** The BFF as an Express router, to mount in an existing application. */
export interface PulseBff extends Router {
  /** Resolves once requests can be answered; until then they wait. Rejects where the BFF cannot start. */
  readonly ready: Promise<void>;
  /** Ends all calls and timers, and saves the state. */
  close(): Promise<void>;
}

/**
 * Makes the BFF as a router, configured by the same names as the environment of `pulse-bff serve`; `process.env` will do.
 * `PULSE_PUBLIC_URL` is the address of the mount, and `PULSE_CACHE` is `private` unless set. Throws `ConfigError` with every
 * fault of `variables`.
 */
export function createPulseBff(variables: Variables): PulseBff {
  const opening = openBff(readConfig(variables, { PULSE_CACHE: 'private' }));
  let opened: Bff | undefined;
  const ready = opening.then((bff) => void (opened = bff));
  // An unhandled rejection must not end a process that does not await `ready`.
  ready.catch(() => {});
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    const answer = ({ app }: Bff): void => app.handle(request, response);
    if (opened === undefined) opening.then(answer, next);
    else answer(opened);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= opening.then(closeBff, () => {}));
  const mounted = Object.assign(router, { ready, close });
  openings.set(mounted, opening);
  return mounted;
}

/**
 * Makes the status page (`/`) and the Studio (`/studio/`) of `bff` as a router. Anyone who reaches it sees every source, so mount
 * it behind the login of the application, at its own path.
 */
export function createPulseStudio(bff: PulseBff): Router {
  const opening = openings.get(bff);
  if (opening === undefined)
    throw new TypeError('Cannot make the Studio: createPulseStudio() takes what createPulseBff() made');
  const router = Router({ caseSensitive: true });
  router.use((request, response, next) => void opening.then(({ studio }) => studio(request, response, next), next));
  return router;
}

const openings = new WeakMap<PulseBff, Promise<Bff>>();

function closeBff(bff: Bff): Promise<void> {
  bff.beginStop();
  return bff.close();
}
