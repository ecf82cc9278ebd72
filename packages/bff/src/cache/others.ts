import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Came, Failed } from './caller.ts';
import type { KeyHealth } from './key-health.ts';
import type { Memory } from './memory.ts';
import type { Card } from './port.ts';
import type { RestBook } from './rest-book.ts';
import type { SharedAnswers, SharedFailure, SharedFinding, SharedList, SharedPulse } from './shared-answers.ts';

/** What another instance's call came to, where that makes one of our own needless. */
export type Known = { readonly ok: true } | Failed;

export interface OthersOptions {
  readonly shared: SharedAnswers;
  readonly memory: Memory;
  readonly account: AccountGuard;
  readonly rests: RestBook;
  readonly key: KeyHealth;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  readonly freshForMs: number;
}

/** The other instances: what they know is taken over, what this one learns is told them. */
export class Others {
  readonly #options: OthersOptions;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Subjects that are looked for, and whether there was more news of them meanwhile. */
  readonly #looking = new Map<string, { again: boolean }>();
  #comparing: { again: boolean } | undefined;
  #onChanged: (card: Card) => void = () => {};

  constructor(options: OthersOptions) {
    this.#options = options;
  }

  /** Begins to listen; `onChanged` hears of each new pulse that another instance brings. */
  start(onChanged: (card: Card) => void): void {
    this.#onChanged = onChanged;
  }

  /** Whether this instance refreshes by plan. */
  get leads(): boolean {
    return this.#options.shared.leads;
  }

  /** The fence of the newest answer at hand; 0 where there is none. */
  fenceOf(subject: string): number {
    const { memory } = this.#options;
    return (subject === LIST_ID ? memory.list?.fence : memory.card(subject)?.fence) ?? 0;
  }

  /** Looks what others have brought, and takes it over; says what that comes to for one who knew no more than `fence`. */
  async consult(subject: string, fence: number): Promise<Known | undefined> {
    const { clock, freshForMs, shared } = this.#options;
    const found = await shared.look(subject);
    this.#take(subject, found);
    const askedAt = this.#askedAt(subject);
    const isNews = this.fenceOf(subject) > fence && askedAt !== undefined;
    if (isNews && clock.now() - askedAt < freshForMs) return { ok: true };
    return found.failure && this.#takeFailure(subject, found.failure);
  }

  /** Resolves when there is news of a subject, or after `ms`. */
  async news(subject: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(subject) ?? new Set();
    this.#waiting.set(subject, waiting.add(resolve));
    const cancel = this.#options.clock.schedule(ms, resolve);
    await promise;
    cancel();
    waiting.delete(resolve);
    if (waiting.size === 0) this.#waiting.delete(subject);
  }

  /** Takes in that there is news of a subject somewhere. */
  async heardOf(subject: string): Promise<void> {
    const { memory, shared } = this.#options;
    const isWaitedFor = this.#waiting.has(subject);
    const concerns = isWaitedFor || subject === LIST_ID || memory.ids.has(subject);
    if (!concerns) return;
    const underWay = this.#looking.get(subject);
    if (underWay) return void (underWay.again = true);
    const looking = { again: true };
    this.#looking.set(subject, looking);
    while (looking.again) {
      looking.again = false;
      const found = await shared.look(subject);
      this.#take(subject, found);
      if (found.failure) this.#takeFailure(subject, found.failure);
      for (const wake of this.#waiting.get(subject) ?? []) wake();
    }
    this.#looking.delete(subject);
  }

  /** Compares all that is known here with what others know: the newer goes to whoever has the older. */
  async compareAll(): Promise<void> {
    if (this.#comparing) return void (this.#comparing.again = true);
    const comparing = { again: true };
    this.#comparing = comparing;
    while (comparing.again) {
      comparing.again = false;
      await this.#compare(LIST_ID);
      for (const subject of this.#options.memory.ids.all) await this.#compare(subject);
    }
    this.#comparing = undefined;
  }

  tellPulse(sourceId: string, { askedAt, requestedAtMs, fence }: Omit<Came<unknown>, 'ok' | 'value'>): void {
    const { memory, account, shared } = this.#options;
    const pulse = memory.card(sourceId)?.card.pulse;
    const { owner } = account;
    if (pulse !== undefined && owner) shared.keepPulse(sourceId, { pulse, askedAt, requestedAtMs, fence, owner });
  }

  tellList(): void {
    const { memory, account, shared } = this.#options;
    const { owner } = account;
    if (!memory.list || !owner) return;
    const { list, ...asked } = memory.list;
    const { requestedAtMs, sources } = list;
    shared.keepList({ rows: [...sources], met: [...memory.ids.met], requestedAtMs, ...asked, owner });
  }

  tellFailure(subject: string, { code, detail, status }: Failed, retryInMs: number): void {
    this.#options.shared.keepFailure(subject, { code, detail, status, retryInMs });
  }

  async #compare(subject: string): Promise<void> {
    const found = await this.#options.shared.look(subject);
    this.#take(subject, found);
    const theirs = (found.list ?? found.pulse)?.fence ?? -1;
    if (this.fenceOf(subject) <= theirs) return;
    if (subject === LIST_ID) return this.tellList();
    const kept = this.#options.memory.card(subject);
    if (kept) this.tellPulse(subject, { ...kept, requestedAtMs: kept.card.requestedAtMs });
  }

  #askedAt(subject: string): number | undefined {
    const { memory } = this.#options;
    return subject === LIST_ID ? memory.list?.askedAt : memory.card(subject)?.askedAt;
  }

  #take(subject: string, { pulse, list }: SharedFinding): void {
    const { account, shared } = this.#options;
    const found = list ?? pulse;
    if (!found) return;
    // What cannot be used would keep all instances waiting for an answer.
    if (!account.admitsShared(found.owner)) return shared.forget(subject);
    if (list && list.fence > this.fenceOf(subject)) this.#takeList(list);
    if (pulse && this.#isNewer(subject, pulse)) this.#takePulse(subject, pulse);
  }

  /** What was kept over a restart has no rank: then the later question has the newer answer. */
  #isNewer(subject: string, { fence, askedAt }: SharedPulse): boolean {
    const kept = this.#options.memory.card(subject);
    return kept === undefined || (fence > kept.fence && (kept.fence > 0 || askedAt >= kept.askedAt));
  }

  #takeList(list: SharedList): void {
    const { memory } = this.#options;
    memory.ids.listed(list.met);
    const changed = memory.keepList(list, list);
    this.#settled(LIST_ID, list.askedAt, changed);
    this.#options.key.accepted('sources');
  }

  #takePulse(sourceId: string, answer: SharedPulse): void {
    const { memory, key } = this.#options;
    const changed = memory.keepAnswer(sourceId, answer.pulse, answer);
    if (memory.ids.has(sourceId)) this.#settled(sourceId, answer.askedAt, changed !== undefined);
    key.accepted('pulse');
    if (changed) this.#onChanged(changed);
  }

  #settled(subject: string, askedAt: number, changed: boolean): void {
    const { rests, planner } = this.#options;
    rests.answered(subject);
    planner.refreshed(subject, askedAt, { changed });
  }

  #takeFailure(subject: string, failure: SharedFailure): Failed {
    const { rests, key, clock, memory, planner } = this.#options;
    const now = clock.now();
    const { code, detail, status, retryInMs } = failure;
    const failed = { ok: false, code, detail, retryInMs, wasAsked: true, ...(status && { status }) } as const;
    const kind = subject === LIST_ID ? 'sources' : 'pulse';
    if (code === 'upstream_auth' && (status === 401 || status === 403) && !key.isRefused(kind))
      key.refused(kind, status, now);
    rests.sentToRest(subject, failed, now + retryInMs);
    if (subject === LIST_ID || memory.ids.has(subject)) planner.restUntil(subject, now + retryInMs, now);
    return failed;
  }
}
