import type { BudgetStatus } from '../budget/call-budget.ts';
import type { HostStatus } from '../upstream/gate.ts';
import type { ApiKeyState } from '../upstream/gate.ts';

/** The health facts whose changes are logged. */
export interface HealthSnapshot {
  readonly key: ApiKeyState;
  readonly hosts: readonly HostStatus[];
  readonly budget: BudgetStatus;
  /** Rows of the list that cannot be read. */
  readonly unreadableRows: number;
}

type Topic = (before: HealthSnapshot, now: HealthSnapshot) => string[];

const TOPICS: readonly Topic[] = [keyChanges, hostChanges, otherUsageChanges, pauseChanges, rowChanges];

/** Logs each change once. A sentence that `warn` does not write (it returns false) is logged later, if it still holds. */
export class HealthChangeLogger {
  readonly #warn: (sentence: string) => unknown;
  /** The snapshot that was last logged, by topic. */
  readonly #logged = new Map<Topic, HealthSnapshot>();

  constructor(warn: (sentence: string) => unknown) {
    this.#warn = warn;
  }

  /** Logs what has changed. */
  update(now: HealthSnapshot): void {
    for (const topic of TOPICS) {
      // The list may have arrived before the first update.
      const sentences = topic(this.#logged.get(topic) ?? { ...now, unreadableRows: 0 }, now);
      if (sentences.every((sentence) => this.#warn(sentence) !== false)) this.#logged.set(topic, now);
    }
  }
}

function keyChanges({ key: before }: HealthSnapshot, { key: now }: HealthSnapshot): string[] {
  if (before.state === now.state) return [];
  if (now.state === 'accepted') return before.state === 'refused' ? ['The upstream takes the key again'] : [];
  if (now.state === 'untried') return [];
  if (now.missingScope !== undefined)
    return [`The upstream refuses the key (403): give it the scope ${now.missingScope}, or make a new key`];
  return ['The upstream refuses the key (401): make a new key; answers get no newer until then'];
}

function hostChanges({ hosts: before }: HealthSnapshot, { hosts: now }: HealthSnapshot): string[] {
  const allHostsDown = (hosts: readonly HostStatus[]) =>
    hosts.every(({ state }) => state === 'open' || state === 'half-open');
  if (allHostsDown(now) !== allHostsDown(before))
    return [
      allHostsDown(now) ? 'No host of the upstream answers: what is known is served on' : 'The upstream answers again',
    ];
  const [from, to] = [preferredOf(before), preferredOf(now)];
  return from === to ? [] : [`Calls go to the ${to} host from now on, no longer to the ${from} one`];
}

function otherUsageChanges({ budget: before }: HealthSnapshot, { budget: now }: HealthSnapshot): string[] {
  if (before.capacity === now.capacity) return [];
  if (now.others <= now.reserve || now.capacity > before.capacity) return [];
  return [`Others use the key (${now.others} calls of this window): no more than ${now.capacity} calls are made in it`];
}

function pauseChanges({ budget: before }: HealthSnapshot, { budget: now }: HealthSnapshot): string[] {
  if (now.pausedForMs === 0 || before.pausedForMs > 0) return [];
  return [`The upstream has no calls left for the key: no calls for ${Math.ceil(now.pausedForMs / 1_000)} s`];
}

function rowChanges({ unreadableRows: before }: HealthSnapshot, { unreadableRows: now }: HealthSnapshot): string[] {
  if (now === before) return [];
  if (now === 0) return ['Every row of the source list can be read again'];
  return [
    `${now} ${now === 1 ? 'row' : 'rows'} of the source list cannot be read and ${now === 1 ? 'is' : 'are'} left out`,
  ];
}

function preferredOf(hosts: readonly HostStatus[]): string | undefined {
  return hosts.find(({ preferred }) => preferred)?.host;
}
