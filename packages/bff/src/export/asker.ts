import type { CallLedger } from '../budget/call-ledger.ts';
import { Caller, type Came, type Failed } from '../cache/caller.ts';
import { HostChoice } from '../cache/host-choice.ts';
import { KeyHealth } from '../cache/key-health.ts';
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

/** What came of a question. */
export type Asked<Value> = Came<Value> | Failed;

/** Puts the questions of an export, one after another. */
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
}

/** Makes an asker that pays for each call, tries both hosts, and where nothing is left to spend waits until there is. */
export function createAsker(options: AskerOptions): Asker {
  const { upstream, clock, hasAltHost, upstreamTimeoutMs, windowMs } = options;
  const caller = new Caller({
    ...options,
    hosts: new HostChoice({ hasAlt: hasAltHost, callMs: upstreamTimeoutMs, random: Math.random }),
    key: new KeyHealth(),
    observer: {},
    onHostBack: () => {},
  });

  async function ask<Value>(
    question: Question,
    subject: string,
    call: (host: HostName, options: AskOptions) => Promise<UpstreamReply<Value>>,
  ): Promise<Asked<Value>> {
    let patienceMs = PATIENCE_WINDOWS * windowMs;
    for (;;) {
      const asking = {
        question,
        subject,
        payer: 'known',
        readerWaits: () => true,
        demand: () => 1,
        onLeave: () => {},
        call,
      } as const;
      const asked = await caller.ask<Value>(asking);
      if (asked.ok || asked.code !== 'upstream_rate_limited' || patienceMs <= 0) return asked;
      const forMs = Math.max(1_000, asked.retryInMs);
      patienceMs -= forMs;
      await new Promise<void>((resolve) => void clock.schedule(forMs, resolve));
    }
  }

  return {
    sources: () => ask({ kind: 'sources' }, LIST_ID, (host, asked) => upstream.listSources(host, asked)),
    pulse: (sourceId) =>
      ask({ kind: 'pulse', sourceId }, sourceId, (host, asked) => upstream.latestPulse(host, sourceId, asked)),
  };
}
