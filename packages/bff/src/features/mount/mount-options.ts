import type { Request } from 'express';

/**
 * The sources that a request may see, and the reader: `reader` is a string of at most 256 characters, such as the id of
 * a user, and is compared with the `reader` of cards.
 */
export type PulseAuthorization =
  | '*'
  | readonly string[]
  | { readonly sources: '*' | readonly string[]; readonly reader?: string | undefined };

/** How a mounted router fits into its application. */
export interface PulseBffOptions {
  /**
   * Returns the sources that a request may see: `'*'` for all that are listed or named, or their ids. With `{ sources,
   * reader }`, it also identifies the reader: responses then contain `Pulse-Reader`, and a card with a different
   * `reader` doesn't show them. Called once for each request for data. If it throws, takes 5 s, or returns anything
   * else, the answer is 503. `'*'` instead of a function lets every request see all sources, which is also the default,
   * but then the log has a warning.
   */
  readonly authorize?: '*' | ((request: Request) => PulseAuthorization | Promise<PulseAuthorization>);
  /**
   * Returns the name that the client limit counts, such as the id of a user. If it fails or returns no name, the
   * address is used. @default the address
   */
  readonly clientKey?: (request: Request) => string | number;
}

/** What each option must be, and what to use instead. */
const MUST_BE: Readonly<Record<string, string>> = {
  authorize: 'must be a function, or "*" to let every request see all sources',
  clientKey: 'must be a function; leave it out to count requests by address',
};

/** Rejects unknown options and options that aren't functions, so that a misspelled name or import can't expose every source. */
export function refuseBadOptions(options: PulseBffOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const mustBe = MUST_BE[name];
    if (mustBe === undefined)
      throw new TypeError(`${name} is not an option of createPulseBff(), which takes authorize and clientKey`);
    const isOpen = name === 'authorize' && value === '*';
    if (typeof value !== 'function' && !isOpen) throw new TypeError(`${name} ${mustBe}`);
  }
}
