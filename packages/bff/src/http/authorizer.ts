import type { RequestCache, SourceRefusal } from '../cache/pulse-reader.ts';
import type { RequestContext } from './request-context.ts';

/** What a request may see: every source that is listed or configured by the operator, or specific ids. */
export type Granted = '*' | ReadonlySet<string>;

/** Decides which sources a request may see. Returns undefined if it has responded itself, such as with a 401. */
export type Grant = (context: RequestContext) => Granted | undefined | Promise<Granted | undefined>;

/** Allows every source, including sources that are known only through another reader's rights. */
export const refuseNoSource: SourceRefusal = () => undefined;

/**
 * Decides what a request may see. A source is allowed only if every grant allows it. Without grants, each request may
 * see all sources.
 */
export class Authorizer {
  readonly #cache: Pick<RequestCache, 'admit' | 'isAdmittedOnly'>;
  readonly #grants: readonly Grant[];
  /**
   * `'*'` means every source that is listed or configured by the operator. Sources that are known only through another
   * reader's rights are excluded.
   */
  readonly #refuseUnlisted: SourceRefusal = (sourceId) =>
    this.#cache.isAdmittedOnly(sourceId) ? 'source_unknown' : undefined;

  constructor(cache: Pick<RequestCache, 'admit' | 'isAdmittedOnly'>, grants: readonly Grant[]) {
    this.#cache = cache;
    this.#grants = grants;
  }

  /**
   * Sets what a request may see and returns true. Returns false if a grant has responded. Doesn't use the cache. Returns
   * a promise only if a grant has to wait.
   */
  check(context: RequestContext): boolean | Promise<boolean> {
    return this.#apply(context, this.#grants, '*');
  }

  /** Returns the `SourceRefusal` for code in this process that has these rights. Makes the granted ids known. */
  refusalFor(granted: Granted): SourceRefusal {
    if (granted !== '*') this.#cache.admit(granted);
    return this.#refusing(granted);
  }

  #apply(context: RequestContext, [grant, ...rest]: readonly Grant[], before: Granted): boolean | Promise<boolean> {
    if (grant === undefined) {
      context.reader.refusalOf = this.#refusing(before);
      return true;
    }
    const granted = grant(context);
    if (granted instanceof Promise) return granted.then((late) => this.#apply(context, [() => late, ...rest], before));
    if (granted === undefined) return false;
    if (granted !== '*') this.#cache.admit(granted);
    return this.#apply(context, rest, both(before, granted));
  }

  #refusing(granted: Granted): SourceRefusal {
    if (granted === '*') return this.#refuseUnlisted;
    return (sourceId) => (granted.has(sourceId) ? undefined : 'token_forbidden');
  }
}

/** The sources that both grants allow. */
function both(one: Granted, other: Granted): Granted {
  if (one === '*') return other;
  return other === '*' ? one : new Set([...one].filter((sourceId) => other.has(sourceId)));
}
