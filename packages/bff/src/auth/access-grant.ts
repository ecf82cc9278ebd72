/** What a reader may see: of which sources, from pages of which origins. */
export class AccessGrant {
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly endsAtMs: number;
  /** Returns whether it is still in force: a token may be taken back before it ends. */
  readonly holds: () => boolean;
  readonly #sources: '*' | ReadonlySet<string>;
  readonly #origins: '*' | ReadonlySet<string>;

  constructor(
    sources: '*' | readonly string[],
    origins: '*' | readonly string[] = '*',
    endsAtMs = Infinity,
    holds: () => boolean = () => true,
  ) {
    this.#sources = sources === '*' ? sources : new Set(sources);
    this.#origins = origins === '*' ? origins : new Set(origins);
    this.endsAtMs = endsAtMs;
    this.holds = holds;
  }

  /** Returns whether pulses of this source may be seen. */
  allowsSource(sourceId: string): boolean {
    return this.#sources === '*' || this.#sources.has(sourceId);
  }

  /** Returns whether a page of any of these origins may show them, by exact comparison. */
  allowsOrigin(origins: readonly string[]): boolean {
    const allowed = this.#origins;
    return allowed === '*' || origins.some((origin) => allowed.has(origin));
  }
}

/** What everyone has where access is public. */
export const FULL_ACCESS = new AccessGrant('*');

/** What a request has before anyone looked at it. */
export const NOTHING = new AccessGrant([]);
