import type { ReadPulse } from '@pulse-card/contract';
import type { CallLedger } from '../budget/call-ledger.ts';
import { Caller, type Came, type Failed } from '../cache/caller.ts';
import { HostChoice } from '../cache/host-choice.ts';
import { KeyHealth } from '../cache/key-health.ts';
import type { SharedAnswers, SharedFailure, SharedFinding } from '../cache/shared-answers.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../freshness/refresh-planner.ts';
import type {
  AskOptions,
  HostName,
  PulseFound,
  Question,
  SourceRows,
  Upstream,
  UpstreamReply,
} from '../upstream/port.ts';

/** A call that found nothing left to spend waits for it, this many windows of the key at most. */
const PATIENCE_WINDOWS = 3;

/** How soon to look again while a running instance asks the same, in ms. */
const LOOK_AGAIN_MS = 100;

/** What came of a question. */
export type Asked<Value> = Came<Value> | Failed;

/** Puts the questions of an export, one after another; rejects with the reason of the signal once that is aborted. */
export interface Asker {
  sources(): Promise<Asked<SourceRows>>;
  pulse(sourceId: string): Promise<Asked<PulseFound>>;
}

/** What an asker stands on. */
export interface AskerOptions {
  readonly upstream: Upstream;
  readonly ledger: CallLedger;
  readonly clock: Clock;
  readonly hasAltHost: boolean;
  readonly upstreamTimeoutMs: number;
  readonly windowMs: number;
  readonly signal: AbortSignal;
  /** What running instances know. @default there are none */
  readonly shared?: SharedAnswers | undefined;
  /** How old an answer of a running instance may be, in ms. */
  readonly freshForMs: number;
}

/** A question with all that it takes to put it. */
interface AskerQuestion<Value> {
  readonly question: Question;
  readonly subject: string;
  readonly call: (host: HostName, options: AskOptions) => Promise<UpstreamReply<Value>>;
  /** The answer among what running instances know. */
  readonly answerIn: (found: SharedFinding) => Came<Value> | undefined;
}

/**
 * Makes an asker that pays for each call, tries both hosts, and where nothing is left to spend waits until there is. What
 * running instances were answered lately it takes over, and they take over what it is answered.
 */
export function createAsker(options: AskerOptions): Asker {
  const { upstream, clock, hasAltHost, upstreamTimeoutMs, windowMs, signal, shared, freshForMs } = options;
  const caller = new Caller({
    ...options,
    hosts: new HostChoice({ hasAlt: hasAltHost, callMs: upstreamTimeoutMs, random: Math.random }),
    key: new KeyHealth(),
    observer: {},
    onHostBack: () => {},
  });

  async function ask<Value>({ question, subject, call, answerIn }: AskerQuestion<Value>): Promise<Asked<Value>> {
    for (let patienceMs = PATIENCE_WINDOWS * windowMs; ;) {
      const found = (await shared?.look(subject)) ?? {};
      const known = answerIn(found);
      if (known && clock.now() - known.askedAt < freshForMs) return known;
      if (found.failure) return failedElsewhere(found.failure);
      const asked = await caller.ask<Value>({
        question,
        subject,
        payer: 'known',
        readerWaits: () => true,
        demand: () => 1,
        seenFence: () => known?.fence,
        onLeave: () => {},
        call,
      });
      signal.throwIfAborted();
      if (asked.ok || !isWorthWaiting(asked) || patienceMs <= 0) return asked;
      const forMs = asked.isElsewhere ? LOOK_AGAIN_MS : Math.max(1_000, asked.retryInMs);
      patienceMs -= forMs;
      await waitFor(forMs);
    }
  }

  /** Rejects once the export is stopped. */
  async function waitFor(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    const cancel = clock.schedule(ms, resolve);
    await promise;
    cancel();
    signal.throwIfAborted();
  }

  return {
    async sources() {
      const asked = await ask<SourceRows>({
        question: { kind: 'sources' },
        subject: LIST_ID,
        call: (host, asking) => upstream.listSources(host, asking),
        answerIn: ({ list }) => list && { ...list, ok: true, value: list },
      });
      if (asked.ok && asked.owner && shared) {
        const { list } = await shared.look(LIST_ID);
        const met = new Set([...(list?.met ?? []), ...asked.value.rows.map(({ id }) => id)]);
        shared.keepList({ ...asked, ...asked.value, owner: asked.owner, met: [...met] });
      }
      return asked;
    },
    async pulse(sourceId) {
      const asked = await ask<PulseFound>({
        question: { kind: 'pulse', sourceId },
        subject: sourceId,
        call: (host, asking) => upstream.latestPulse(host, sourceId, asking),
        answerIn: ({ pulse }) => pulse && { ...pulse, ok: true, value: foundOf(pulse.pulse) },
      });
      if (asked.ok && asked.owner)
        shared?.keepPulse(sourceId, { ...asked, owner: asked.owner, pulse: pulseIn(asked.value) });
      return asked;
    },
  };
}

/** Says whether a call that was not made may be made in a while. */
function isWorthWaiting({ code, isElsewhere }: Failed): boolean {
  return isElsewhere === true || code === 'upstream_rate_limited';
}

function failedElsewhere({ code, detail, retryInMs }: SharedFailure): Failed {
  return { ok: false, code, detail, retryInMs, wasAsked: true };
}

function foundOf(pulse: ReadPulse | null): PulseFound {
  return pulse ? { kind: 'found', pulse } : { kind: 'absent' };
}

function pulseIn(found: PulseFound): ReadPulse | null {
  return found.kind === 'found' ? found.pulse : null;
}
