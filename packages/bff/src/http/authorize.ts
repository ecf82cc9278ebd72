import type { IncomingMessage } from 'node:http';
import { isSourceId } from '@pulse-card/contract';
import { AccessGrant } from '@pulse-card/token';
import type { PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { ListedGrant, readsData, type RequestGuards } from './guards.ts';
import { sendError } from './respond.ts';

/** What a request may see: every source that is listed or named, or these ids. */
export type Rights = '*' | readonly string[];

/** Asks the application what a request may see. */
export type Authorize = (request: IncomingMessage) => Rights | Promise<Rights>;

/** How long the application may take to answer, in ms. */
const TIMEOUT_MS = 5_000;

export interface AuthorizerOptions {
  readonly authorize: Authorize;
  readonly cache: Pick<PulseCache, 'admit' | 'isAdmittedOnly'>;
  readonly clock: Clock;
}

/** Turns the answers of the application into grants. */
export class Authorizer {
  readonly #options: AuthorizerOptions;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /** What `request` may see of `grant`. Rejects where the application throws, takes 5 s, or answers with anything else. */
  async grantFor(request: IncomingMessage, grant: AccessGrant): Promise<AccessGrant> {
    const { cache } = this.#options;
    const rights = await this.#ask(request);
    const isForAll = grant.sources === '*';
    if (rights === '*') return isForAll ? new ListedGrant(grant, cache) : grant;
    cache.admit(rights);
    const sources = isForAll ? rights : rights.filter((sourceId) => grant.allowsSource(sourceId));
    return new AccessGrant(sources, '*', grant.endsAtMs, grant.holds);
  }

  async #ask(request: IncomingMessage): Promise<Rights> {
    const { authorize, clock } = this.#options;
    const late = Promise.withResolvers<never>();
    const cancel = clock.schedule(TIMEOUT_MS, () => late.reject(new Error('authorize() took 5 s')));
    try {
      const rights = await Promise.race([(async () => authorize(request))(), late.promise]);
      if (rights === '*' || (Array.isArray(rights) && rights.every(isSourceId))) return rights;
    } finally {
      cancel();
    }
    throw new TypeError('authorize() must return "*" or an array of source ids');
  }
}

/** The guards, and after them the application: for data alone, once a request. */
export function authorizedGuards(
  guards: RequestGuards,
  authorizer: Authorizer,
  onFault: (fault: unknown) => void,
): RequestGuards {
  return async (context, access) => {
    if (!(await guards(context, access))) return false;
    if (!readsData(context, access)) return true;
    try {
      context.accessGrant = await authorizer.grantFor(context.request, context.accessGrant);
      return true;
    } catch (fault) {
      onFault(fault);
      const error = 'Pulses are unavailable: the application did not say what this reader may see';
      sendError(context, 'upstream_unavailable', { error });
      return false;
    }
  };
}
