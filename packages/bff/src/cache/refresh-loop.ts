import { repeat } from '../lib/clock.ts';
import type { KeySource } from '../upstream/key-source.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { CacheParts } from './cache-parts.ts';
import type { Refresher } from './refresher.ts';

/** How often the planner decides which source gets the next call. */
const TICK_MS = 500;

/** The list is refreshed at this age, even if no reader requests it. */
const LIST_AGE_MS = 120_000;

/** After a failed call, the list is already refreshed at this age. */
const LIST_AFTER_FAILURE_MS = 15_000;

/** The maximum number of refreshes that one tick starts. */
const MAX_PER_TICK = 50;

export interface RefreshLoopOptions extends CacheParts {
  readonly refresher: Refresher;
  readonly key: Pick<KeySource, 'onChange'>;
}

/**
 * Starts the refreshes that no reader waits for. The list is refreshed at a given age, and the sources are refreshed in
 * the planner's order.
 */
export class RefreshLoop {
  readonly #options: RefreshLoopOptions;
  readonly #cleanups: (() => void)[] = [];

  constructor(options: RefreshLoopOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, key } = this.#options;
    this.#cleanups.push(repeat(clock, TICK_MS, () => this.#tick()));
    this.#cleanups.push(key.onChange(() => this.#keyChanged()));
  }

  stop(): void {
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
  }

  /** Requests the list with the priority of a reader's request, because no reader can be served without the list. */
  requestList(): void {
    this.#options.refresher.join(LIST_ID, { isAwaited: true });
  }

  /** A new key is tried immediately. If a request for the list is under way, it was made with the previous key. */
  #keyChanged(): void {
    const earlier = this.#options.refresher.flightOf(LIST_ID);
    this.#options.upstream.keyReplaced();
    this.requestList();
    void earlier?.result.then(() => this.requestList());
  }

  async #tick(): Promise<void> {
    const { upstream, planner, account, clock, entries } = this.#options;
    const now = clock.now();
    account.saveKeyState(upstream.apiKey.status(now));
    if (this.#isListDue(now)) await this.#start(LIST_ID);
    const first = this.#firstSource();
    if (first !== undefined) await this.#start(first);
    const tried = new Set<string>();
    const isKnown = (id: string): boolean => id === LIST_ID || entries.ids.has(id);
    const canRefresh = (id: string): boolean => isKnown(id) && !tried.has(id) && !upstream.isHeld(id);
    while (tried.size < MAX_PER_TICK) {
      const subject = planner.next(now, upstream.budget, canRefresh);
      if (subject === undefined) break;
      tried.add(subject);
      await this.#start(subject);
    }
  }

  /**
   * Starts a refresh. Resolves when the refresh sends its call, or once it is certain that no call will be sent.
   */
  async #start(subject: string): Promise<void> {
    await this.#options.refresher.join(subject, { isAwaited: false }).flight.sent;
  }

  #isListDue(now: number): boolean {
    const { entries, upstream } = this.#options;
    const { list } = entries;
    if (upstream.whyNoCall(LIST_ID)) return false;
    // The list is the first probe of a failed host, because no reader waits for it.
    if (!list || upstream.hosts.areAllDown()) return true;
    // After a failed call, refreshing the list shows whether the whole host failed or only the source.
    const isCallFailed = !upstream.hosts.isHealthy(now) || upstream.lastFailure(LIST_ID) !== undefined;
    return now - list.requestedAt >= (isCallFailed ? LIST_AFTER_FAILURE_MS : LIST_AGE_MS);
  }

  /** The source to request first if there is no list. Without any answer, the instance would never become ready. */
  #firstSource(): string | undefined {
    const { entries, upstream } = this.#options;
    const hasNothing = entries.newest === undefined && !entries.list;
    if (!hasNothing || !upstream.lastFailure(LIST_ID)) return undefined;
    const [id] = entries.ids.all;
    return id === undefined || upstream.whyNoCall(id) ? undefined : id;
  }
}
