import type { BudgetSnapshot } from '../../packages/bff/src/planner/refresh-planner.ts';
import type { CallPermit } from '../../packages/bff/src/budget/call-budget.ts';
import { openCallLedger } from './call-ledger.ts';
import { type Figures, Tally } from './figures.ts';
import { type Random, randomFrom } from '@pulse-card/testkit/random';
import type { World } from './world.ts';

/** A view: a reader who looks at a source. */
export interface Look {
  source: number;
  now: number;
  /** The time since the copy arrived, in ms. Infinity if there is no copy. */
  ageMs: number;
  /** Returns how many calls are left. A policy calls this function only if it needs the number. */
  tokens: () => BudgetSnapshot;
}

/** What a view causes: nothing, a background refresh, or a refresh that the reader waits for. */
export type Reaction = 'serve' | 'refresh' | 'wait';

/** Decides how a key's calls are used. With every policy, a reader waits if there is no copy. */
export interface Policy {
  onView(look: Look): Reaction;
  /**
   * Returns a source to refresh without a view, or undefined if there is none. Twice a second, this method is called
   * until it returns undefined.
   */
  onTick?(now: number, tokens: BudgetSnapshot): number | undefined;
  onAsked?(source: number, now: number): void;
  onAnswer?(source: number, now: number, changed: boolean): void;
  onFailure?(source: number, now: number): void;
}

/** Creates a policy for a world. A policy knows nothing about the world unless its name says that it does. */
export type PolicyMaker = (world: World) => Policy;

/** The key's window, in ms. */
export const WINDOW_MS = 60_000;

/** Views before this time aren't counted, because every policy starts without copies, and some must first learn. */
export const WARM_UP_MS = 3_600_000;

const TICK_MS = 500;

/** The time in ms after which a waiting reader gets the old copy. A reader waits longer if there is no copy. */
const TIMEOUT_MS = 500;
const TIMEOUT_WITHOUT_COPY_MS = 5_000;

interface Call {
  source: number;
  permit: CallPermit;
  endsAt: number;
  /** The number of changes that the answer includes. Undefined if the call fails. */
  version: number | undefined;
}

interface Waiter {
  source: number;
  receivedAt: number;
  leavesAt: number;
}

/** Runs a policy in a world, and returns what readers saw. */
export function simulate(world: World, makePolicy: PolicyMaker): Promise<Figures> {
  return new Run(world, makePolicy(world)).toEnd();
}

class Run {
  readonly #world: World;
  readonly #policy: Policy;
  readonly #random: Random;
  readonly #ledger: ReturnType<typeof openCallLedger>;
  readonly #tally = new Tally();
  readonly #versions: (number | undefined)[];
  readonly #answeredAt: number[];
  /** The open calls by source, in the order in which they were made. */
  readonly #calls = new Map<number, Call>();
  #waiters: Waiter[] = [];

  constructor(world: World, policy: Policy) {
    this.#world = world;
    this.#policy = policy;
    this.#random = randomFrom(world.seed + 1_000);
    this.#ledger = openCallLedger(world.plan.callsPerWindow, WINDOW_MS);
    this.#versions = world.ids.map(() => undefined);
    this.#answeredAt = world.ids.map(() => -Infinity);
  }

  async toEnd(): Promise<Figures> {
    const { times, sources } = this.#world.views;
    let nextTick = 0;
    for (let view = 0; view < times.length; view += 1) {
      const at = times[view]!;
      for (; nextTick <= at; nextTick += TICK_MS) await this.#tick(nextTick);
      this.#advanceTo(at);
      await this.#look(sources[view]!, at);
    }
    this.#advanceTo(Infinity);
    return this.#tally.figures(WINDOW_MS);
  }

  async #tick(now: number): Promise<void> {
    this.#advanceTo(now);
    if (this.#policy.onTick === undefined) return;
    for (;;) {
      const source = this.#policy.onTick(now, this.#ledger.tokens(now));
      if (source === undefined || !(await this.#call(source, now))) return;
    }
  }

  async #look(source: number, now: number): Promise<void> {
    const tokens = () => this.#ledger.tokens(now);
    const reaction = this.#policy.onView({ source, now, ageMs: now - this.#answeredAt[source]!, tokens });
    const known = this.#versions[source] !== undefined;
    const asked = (reaction !== 'serve' || !known) && (this.#calls.has(source) || (await this.#call(source, now)));
    if (!asked || (reaction !== 'wait' && known)) this.#show(source, now, false);
    else
      this.#waiters.push({ source, receivedAt: now, leavesAt: now + (known ? TIMEOUT_MS : TIMEOUT_WITHOUT_COPY_MS) });
  }

  /** Counts a view of the copy as it is at the time `at`. */
  #show(source: number, at: number, waited: boolean, receivedAt = at): void {
    if (receivedAt < WARM_UP_MS) return;
    const version = this.#versions[source];
    if (version === undefined) this.#tally.sawNothing();
    else this.#tally.saw(this.#world.changes[source]!.stalenessOf(version, at), waited);
  }

  async #call(source: number, now: number): Promise<boolean> {
    if (this.#calls.has(source)) return false;
    const permit = await this.#ledger.take(now, this.#world.ids[source]!);
    if (permit === undefined) return false;
    const { latencyMs, failures } = this.#world.plan;
    const latency = latencyMs.from + this.#random.even() * (latencyMs.to - latencyMs.from);
    const arrivesAt = now + latency / 2;
    const version = this.#random.even() < failures ? undefined : this.#world.changes[source]!.versionAt(arrivesAt);
    this.#calls.set(source, { source, permit, endsAt: now + latency, version });
    this.#tally.called(arrivesAt, now >= WARM_UP_MS);
    this.#policy.onAsked?.(source, now);
    return true;
  }

  /** Delivers every answer that has arrived by `now`, and answers every reader whose wait has ended. */
  #advanceTo(now: number): void {
    const landing = [...this.#calls.values()].filter(({ endsAt }) => endsAt <= now);
    for (const call of landing.sort((one, other) => one.endsAt - other.endsAt)) {
      this.#loseReaders(call.endsAt);
      this.#settle(call);
    }
    this.#loseReaders(now);
  }

  #settle({ source, permit, endsAt, version }: Call): void {
    this.#calls.delete(source);
    this.#ledger.settle(endsAt, permit);
    if (version === undefined) this.#policy.onFailure?.(source, endsAt);
    else {
      this.#policy.onAnswer?.(source, endsAt, version !== this.#versions[source]);
      this.#versions[source] = version;
      this.#answeredAt[source] = endsAt;
    }
    this.#release(
      (waiter) => waiter.source === source,
      () => endsAt,
    );
  }

  #loseReaders(now: number): void {
    this.#release(
      ({ leavesAt }) => leavesAt <= now,
      ({ leavesAt }) => leavesAt,
    );
  }

  #release(which: (waiter: Waiter) => boolean, momentOf: (waiter: Waiter) => number): void {
    if (this.#waiters.length === 0) return;
    for (const waiter of this.#waiters.filter(which))
      this.#show(waiter.source, momentOf(waiter), true, waiter.receivedAt);
    this.#waiters = this.#waiters.filter((waiter) => !which(waiter));
  }
}
