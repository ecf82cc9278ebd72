import type { Request } from 'express';

/**
 * The reader who sent a request, and the sources that the request may see. `reader` is a string of at most 256
 * characters, such as a user id. Cards compare this value with their own `reader`.
 */
export type PulseAuthorization =
  | '*'
  | readonly string[]
  | { readonly sources: '*' | readonly string[]; readonly reader?: string | undefined };

/** How a mounted router fits into its application. */
export interface PulseBffOptions {
  /**
   * Returns the sources that a request may see: their ids, or `'*'` for all sources that are listed or named by the
   * operator. With `{ sources, reader }`, the function also identifies the reader. Responses then contain
   * `Pulse-Reader`, and a card with a different `reader` doesn't show them. Called once for each request for data. If
   * the function throws, takes 5 s, or returns anything else, the response is 503. If the option is `'*'` instead of a
   * function, every request may see all sources. `'*'` is also the default. However, if the option is missing, the log
   * contains a warning.
   */
  readonly authorize?: '*' | ((request: Request) => PulseAuthorization | Promise<PulseAuthorization>);
  /**
   * Returns the name of the client whose limit a request counts against, such as a user id. If the function fails or
   * returns no name, the address is used. @default the address
   */
  readonly clientKey?: (request: Request) => string | number;
}

/** What each option must be, and what to do if it isn't. */
const MUST_BE: Readonly<Record<string, string>> = {
  authorize: 'must be a function, or "*" to let every request see all sources',
  clientKey: 'must be a function; leave it out to count requests by address',
};

/**
 * Rejects unknown options, and options that aren't functions. A misspelled name or import therefore can't expose every
 * source.
 */
export function refuseBadOptions(options: PulseBffOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const mustBe = MUST_BE[name];
    if (mustBe === undefined)
      throw new TypeError(`${name} is not an option of createPulseBff(), which takes authorize and clientKey`);
    const isOpen = name === 'authorize' && value === '*';
    if (typeof value !== 'function' && !isOpen) throw new TypeError(`${name} ${mustBe}`);
  }
}
