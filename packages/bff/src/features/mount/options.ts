import type { Request } from 'express';

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
   * `null` means that no one is signed in: the response is 401 `signed_out`. It is called once for each request for
   * data. If it throws, takes 5 s, or returns anything else, the response is 503. `'*'` instead of a function lets every
   * request see all sources, which is also the default, but then the log warns.
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
