import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Authorize, authorizeCheck } from './authorize.ts';
import { namedClient } from './client-key.ts';
import type { PulseBffOptions } from './options.ts';

/** Logged once, because a login in front of the router doesn't decide what readers may see. */
const OPEN_TO_ALL_REQUESTS =
  'createPulseBff() has no authorize: every request may see every source. Pass authorize, or { authorize: "*" } if that is intended';

/**
 * The decisions of the application that the BFF is mounted in. `check`: what a request may see; undefined without
 * `authorize`: all sources. `nameClient`: the application's name for a client; undefined without `clientKey`.
 */
export function openMount(
  { authorize, clientKey }: PulseBffOptions,
  { config, clock, log }: { readonly config: Config; readonly clock: Clock; readonly log: Log },
) {
  const onHostFault = (message: string): void => void log.warn(message);
  if (config.isMounted && authorize === undefined && config.access === 'public') log.warn(OPEN_TO_ALL_REQUESTS);
  return {
    check: typeof authorize === 'function' ? authorizeCheck(authorize as Authorize, clock, onHostFault) : undefined,
    nameClient: clientKey && namedClient(clientKey as (req: never) => unknown, onHostFault),
  };
}
