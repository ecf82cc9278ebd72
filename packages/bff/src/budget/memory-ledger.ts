import type { Clock } from '../clock.ts';
import type {
  BudgetStatus,
  CallLedger,
  CallRequest,
  CallResult,
  CallVerdict,
  Grant,
  RefusalReason,
  WindowFacts,
} from './call-ledger.ts';
import { carefulPace, EvenPace } from './even-pace.ts';
import { GrantLog } from './grant-log.ts';
import type { GrantMemory } from './grant-memory.ts';
import { KeyWindow } from './key-window.ts';

/** Calls a window that ids nobody vouches for may cost together. */
const STRANGER_LIMIT = 6;

/** A call whose answer never came may still be on its way to the upstream for this long. */
const LATE_ARRIVAL_MS = 5_000;

/** A call that has not left this long after its grant must not leave at all. */
const LEAVE_WITHIN_MS = 2_000;

/** When to ask again where room depends on answers still to come. */
const ASK_AGAIN_MS = 250;

export interface MemoryLedgerOptions {
  readonly clock: Clock;
  /** Calls the upstream allows the key in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Calls of each window that are left to others. */
  readonly reserve: number;
  /** The most that a call takes from its grant to its end, in ms. */
  readonly callMs: number;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number;
  /** Where calls are written down before they leave. @default nowhere */
  readonly memory?: GrantMemory;
}

/** Keeps the account of the key's calls in this process, for the one instance there is. */
export function createMemoryLedger(options: MemoryLedgerOptions): CallLedger {
  return new MemoryLedger(options);
}

class MemoryLedger implements CallLedger {
  readonly #options: MemoryLedgerOptions;
  readonly #clock: Clock;
  readonly #log: GrantLog;
  readonly #strangers: GrantLog;
  readonly #window: KeyWindow;
  readonly #memory: GrantMemory | undefined;
  readonly #pace: EvenPace;
  /** Until then, or the first answer that tells, nobody knows what earlier processes have spent. */
  #startingUntil: number;
  #lastId = 0;

  constructor(options: MemoryLedgerOptions) {
    checkOptions(options);
    const { clock, startedAt = clock.now(), windowMs } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = new GrantLog(windowMs);
    this.#strangers = new GrantLog(windowMs);
    this.#window = new KeyWindow(options);
    this.#memory = options.memory;
    this.#pace = new EvenPace(carefulPace(options), startedAt, 'full');
    this.#startingUntil = startedAt + windowMs;
    this.#recall(options);
  }

  async acquire(request: CallRequest): Promise<CallVerdict> {
    const now = this.#clock.now();
    const refusal = this.#refusal(request, now);
    if (refusal) return { kind: 'refused', ...refusal, retryInMs: Math.max(1, Math.ceil(refusal.retryInMs)) };
    if (!this.#writeDown(now)) return { kind: 'refused', reason: 'budget', retryInMs: ASK_AGAIN_MS };
    return { kind: 'go', grant: this.#grant(request, now) };
  }

  settle({ id }: Grant, { fate, window, rateLimited }: CallResult): void {
    const now = this.#clock.now();
    const ownAtMost = this.#log.used(now);
    const arrivedBy = { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate];
    this.#log.settled(id, arrivedBy);
    this.#strangers.settled(id, arrivedBy);
    if (window) this.#learn(window, ownAtMost, now);
    if (rateLimited) this.#window.limited(rateLimited.retryAfterMs, window?.resetInMs, now);
    else if (fate === 'answered') this.#window.admitted(now);
  }

  status(): BudgetStatus {
    const now = this.#clock.now();
    const { limit, reserve, windowMs } = this.#options;
    return {
      limit,
      reserve,
      windowMs,
      used: this.#log.used(now),
      left: this.#left(now),
      leftAtMost: Math.min(this.#window.capacity(now, reserve), this.#pace.burst),
      capacity: this.#window.capacity(now, reserve),
      others: this.#window.others(now),
      pausedForMs: this.#window.pausedForMs(now),
      starting: now < this.#startingUntil,
    };
  }

  #refusal({ payer }: CallRequest, now: number): { reason: RefusalReason; retryInMs: number } | undefined {
    const pausedForMs = this.#window.pausedForMs(now);
    if (pausedForMs > 0) return { reason: 'paused', retryInMs: pausedForMs };
    if (this.#window.isWary(now) && this.#log.inFlight > 0) return { reason: 'paused', retryInMs: ASK_AGAIN_MS };
    const roomInMs = this.#log.roomInMs(now, this.#window.capacity(now, this.#options.reserve)) ?? ASK_AGAIN_MS;
    if (roomInMs > 0) this.#pace.holdUntil(now + roomInMs, now);
    if (this.#pace.left(now) < 1) {
      const reason = now < this.#startingUntil ? 'starting' : 'budget';
      return { reason, retryInMs: Math.max(roomInMs, this.#pace.roomInMs(now)) };
    }
    if (roomInMs > 0) return { reason: 'budget', retryInMs: roomInMs };
    if (payer === 'known') return undefined;
    const strangerRoomInMs = this.#strangers.roomInMs(now, STRANGER_LIMIT);
    return strangerRoomInMs === 0 ? undefined : { reason: 'strangers', retryInMs: strangerRoomInMs ?? ASK_AGAIN_MS };
  }

  #grant({ subject, payer }: CallRequest, now: number): Grant {
    const id = ++this.#lastId;
    this.#log.granted(id);
    if (payer === 'stranger') this.#strangers.granted(id);
    this.#pace.took(now);
    return { id, subject, leaveBefore: now + LEAVE_WITHIN_MS, fence: id };
  }

  /** Writes a call down before it leaves; false where another process has spent what was left meanwhile. */
  #writeDown(now: number): boolean {
    if (!this.#memory) return true;
    const callsOfOthers = this.#memory.record();
    for (let call = 0; call < callsOfOthers; call += 1)
      this.#log.recalled(now + this.#options.callMs + LATE_ARRIVAL_MS);
    return callsOfOthers === 0 || this.#log.used(now) < this.#window.capacity(now, this.#options.reserve);
  }

  #learn(window: WindowFacts, ownAtMost: number, now: number): void {
    this.#window.learn(window, ownAtMost, now);
    if (window.remaining === undefined || now >= this.#startingUntil) return;
    this.#startingUntil = now;
    const used = (window.limit ?? this.#options.limit) - window.remaining;
    this.#pace.learnedUsed(used + this.#log.inFlight, now);
  }

  #left(now: number): number {
    if (this.#window.pausedForMs(now) > 0) return 0;
    const room = this.#window.capacity(now, this.#options.reserve) - this.#log.used(now);
    return Math.max(0, Math.min(room, this.#pace.left(now)));
  }

  /** Counts what earlier processes wrote down: a call may have arrived as late as a call can take. */
  #recall({ clock, callMs, memory }: MemoryLedgerOptions): void {
    const now = clock.now();
    for (const ageMs of memory?.recall() ?? []) this.#log.recalled(now - ageMs + callMs + LATE_ARRIVAL_MS);
  }
}

function checkOptions({ limit, reserve, windowMs, callMs }: MemoryLedgerOptions): void {
  if (!(Number.isInteger(limit) && limit >= 1))
    throw new RangeError(`Cannot keep the ledger: limit is ${limit}, not a whole number from 1`);
  if (!(Number.isInteger(reserve) && reserve >= 0 && reserve < limit))
    throw new RangeError(`Cannot keep the ledger: reserve is ${reserve}, not a whole number below the limit ${limit}`);
  for (const [name, value] of Object.entries({ windowMs, callMs }))
    if (!(Number.isFinite(value) && value > 0))
      throw new RangeError(`Cannot keep the ledger: ${name} is ${value}, not above 0`);
}
