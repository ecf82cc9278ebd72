import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { idSchema } from '@pulse-card/contract';
import type { Request } from 'express';
import { z } from 'zod';
import type { Base } from '../../config.ts';
import type { Permission, PermissionCheck } from '../../http/access.ts';
import { ApiError } from '../../http/errors.ts';
import { within } from '../../lib/clock.ts';

/**
 * The sources that a request may see, and who its reader is. `reader` is a string of up to 256 characters, such as a
 * user ID. Cards compare it with their own `reader`. `null` means that no one is signed in.
 */
export type PulseAuthorization =
  | '*'
  | readonly string[]
  | { readonly sources: '*' | readonly string[]; readonly reader?: string | undefined }
  | null;

/** How a mounted router fits into its application. */
export interface PulseBffOptions {
  /**
   * Returns the sources that a request may see: their IDs, or `'*'` for all sources that are listed or named by the
   * operator. With `{ sources, reader }`, it also names the reader, and responses then have a `Pulse-Reader` header.
   * `null` means that no one is signed in: the response is 401 `signed_out`. It is called once per data request. If it
   * throws, takes 5 s, or returns anything else, the response is 503. `'*'` instead of a function lets every request
   * see all sources, which is also the default, but then the log warns.
   */
  readonly authorize?: '*' | ((request: Request) => PulseAuthorization | Promise<PulseAuthorization>);
  /**
   * Names the client whose limit a request counts against, for example by a user ID. If it fails or returns no name, the
   * IP address is used. @default the IP address
   */
  readonly clientKey?: (request: Request) => string | number;
}

/** What each option must be, and what to do if it isn't. */
const MUST_BE: Readonly<Record<string, string>> = {
  authorize: 'must be a function, or "*" to let every request see all sources',
  clientKey: 'must be a function; leave it out to count requests by IP address',
};

/** Rejects unknown options and wrong values, so that a misspelled name or import can't expose every source. */
export function checkOptions(options: PulseBffOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const mustBe = MUST_BE[name];
    if (mustBe === undefined)
      throw new TypeError(`${name} is not an option of createPulseBff(), which takes authorize and clientKey`);
    const isOpen = name === 'authorize' && value === '*';
    if (typeof value !== 'function' && !isOpen) throw new TypeError(`${name} ${mustBe}`);
  }
}

/** Logged once, because a login in front of the router doesn't control what each reader may see. */
const OPEN_TO_ALL_REQUESTS =
  'createPulseBff() has no authorize: every request may see every source. Pass authorize, or { authorize: "*" } if that is intended';

/**
 * The decisions made by the application that the BFF is mounted in. `check`: decides what a request may see; undefined
 * without `authorize`, which allows all sources. `nameOf`: names a client; undefined without `clientKey`.
 */
export function openMount({ authorize, clientKey }: PulseBffOptions, { config, clock, log }: Base) {
  if (config.isMounted && authorize === undefined && config.access === 'public') log.warn(OPEN_TO_ALL_REQUESTS);
  return {
    check: typeof authorize === 'function' ? authorizeCheck(authorize, { clock, log }) : undefined,
    nameOf: clientKey && namedBy(clientKey, log),
  };
}

/**
 * Identifies clients by a digest of what `clientKey()` returns, so that no log contains a name. If it fails or returns
 * no name, the result is undefined, and the IP address is used.
 */
function namedBy(clientKey: (req: Request) => unknown, log: Base['log']): (req: IncomingMessage) => string | undefined {
  return (req) => {
    try {
      const name = clientKey(req as Request);
      if ((typeof name === 'string' && name !== '') || Number.isFinite(name))
        return `client ${createHash('sha256').update(String(name)).digest('base64url').slice(0, 16)}`;
      if (typeof name === 'object' && name !== null) {
        // An unhandled rejection would end the process.
        Promise.resolve(name).catch(() => {});
        throw new TypeError('it returned a promise or another object, not a string');
      }
    } catch (fault) {
      log.warn(`clientKey() failed, so the IP address is used: ${thrownText(fault)}`, 'clientKey');
    }
    return undefined;
  };
}

/** The maximum length of a reader's name, in characters. */
const MAX_READER = 256;

/** How long the application may take to respond, in ms. */
const TIMEOUT_MS = 5_000;

const UNKNOWN = 'Pulses are unavailable: the application didn’t specify what this reader is allowed to see';

/**
 * Asks the application what a request may see. Throws `signed_out` if it returns `null`, and `upstream_unavailable` if
 * it throws, takes 5 s, or returns anything else.
 */
export function authorizeCheck(
  authorize: (req: Request) => unknown,
  { clock, log }: Pick<Base, 'clock' | 'log'>,
): PermissionCheck {
  return async (req) => {
    try {
      const answer = await within(clock, TIMEOUT_MS, Promise.resolve(req).then(authorize));
      if (answer === undefined) throw new TypeError('it returned nothing within 5 s');
      if (answer !== null) return permissionIn(answer);
    } catch (fault) {
      const detail = `authorize() failed: ${thrownText(fault)}`;
      log.warn(detail, 'authorize');
      // The response doesn't reveal anything about the reader.
      throw new ApiError('upstream_unavailable', { error: UNKNOWN, detail });
    }
    throw new ApiError('signed_out');
  };
}

const permissionSchema = z.strictObject({
  sources: z.union([z.literal('*'), z.array(idSchema)], 'must be "*" or an array of source IDs'),
  reader: z.string('must be a string').max(MAX_READER, `can have up to ${MAX_READER} characters`).optional(),
});

/** The application's return value: sources, or an object with sources and an optional reader. */
function permissionIn(answer: unknown): Permission {
  const isNamed = typeof answer === 'object' && answer !== null && 'sources' in answer;
  const { data, error } = permissionSchema.safeParse(isNamed ? answer : { sources: answer });
  if (data) return { sources: data.sources === '*' ? '*' : new Set(data.sources), reader: data.reader };
  const { path, message } = error.issues[0] ?? { path: [], message: '' };
  throw new TypeError(`it returned the wrong permissions: ${[...path, message].join(' ')}`);
}

/** The message from an error thrown by one of the application's functions. */
function thrownText(fault: unknown): string {
  return fault instanceof Error ? fault.message : `it threw a value of type ${typeof fault}`;
}
