import { type ReadPulse, type ReadSource, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { activeSource, fullPulse } from '@pulse-card/contract/examples';
import type { Clock } from '../clock.ts';
import type { CallOptions, HostName, PulseFound, Upstream, UpstreamFailure, UpstreamReply } from '../upstream/port.ts';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import { elapsed } from './virtual-clock.ts';

/** One call as the upstream saw it. */
export interface SeenCall {
  readonly at: number;
  readonly host: HostName;
  /** A source id, or `sources`. */
  readonly about: string;
}

/** An upstream in this process, on a test's clock, that does what the test says. */
export interface FakeUpstream extends Upstream {
  readonly calls: SeenCall[];
  /** How long an answer takes, in ms. */
  latencyMs: number;
  /** What fails, and how; undefined lets a call through. */
  failure: (call: SeenCall) => UpstreamFailure | 'hangs' | undefined;
  rate: (call: SeenCall) => RateLimitHeaders | undefined;
  sources: ReadSource[];
  /** Rows of the list that could not be read. */
  unreadableRows: number;
  pulses: Map<string, ReadPulse>;
  /** Whose answers these are; undefined where they do not say. */
  account: string | undefined;
  /** The key in use. */
  keyName: string;
  callsAbout(about: string): number;
}

/** A source row of the list. */
export function rowOf(id: string, fields: Partial<ReadSource> = {}): ReadSource {
  return { ...readSourceSchema.parse(activeSource), id, ...fields };
}

/** A pulse of a source. */
export function pulseOf(sourceId: string, jobRunId = 'run_1', fields: Partial<ReadPulse> = {}): ReadPulse {
  return { ...readPulseSchema.parse(fullPulse), sourceId, jobRunId, ...fields };
}

/** Makes an upstream that knows `sourceIds`, each with a pulse. */
export function createFakeUpstream(clock: Clock, sourceIds: readonly string[]): FakeUpstream {
  const fake: FakeUpstream = {
    calls: [],
    latencyMs: 100,
    failure: () => undefined,
    rate: () => undefined,
    sources: sourceIds.map((id) => rowOf(id)),
    unreadableRows: 0,
    pulses: new Map(sourceIds.map((id) => [id, pulseOf(id)])),
    account: 'account A',
    keyName: 'key 1',
    callsAbout: (about) => fake.calls.filter((call) => call.about === about).length,
    listSources: (host, options) =>
      answer(host, 'sources', options, () => ({ rows: [...fake.sources], unreadableRows: fake.unreadableRows })),
    latestPulse: async (host, sourceId, options) => {
      const reply = await answer(host, sourceId, options, (): PulseFound => {
        const pulse = fake.pulses.get(sourceId);
        return pulse ? { kind: 'found', pulse } : { kind: 'absent' };
      });
      const isAbsence = reply.outcome.ok && reply.outcome.value.kind === 'absent';
      return isAbsence ? { ...reply, owner: undefined } : reply;
    },
  };

  async function answer<Value>(
    host: HostName,
    about: string,
    { deadlineMs = 5_000, signal }: CallOptions = {},
    valueOf: () => Value,
  ): Promise<UpstreamReply<Value>> {
    const call = { at: clock.now(), host, about };
    fake.calls.push(call);
    const owner = { account: fake.account, keyName: fake.keyName };
    const failure = fake.failure(call);
    const isTooSlow = failure === 'hangs' || fake.latencyMs > deadlineMs;
    await Promise.race([elapsed(clock, isTooSlow ? deadlineMs : fake.latencyMs), abortionOf(signal)]);
    if (signal?.aborted) return { host, rate: undefined, outcome: { ok: false, failure: { kind: 'unreachable' } } };
    if (isTooSlow) return { host, rate: undefined, outcome: { ok: false, failure: { kind: 'timed-out' } } };
    const rate = fake.rate(call);
    if (failure) return { host, rate, outcome: { ok: false, failure } };
    return { host, rate, owner, outcome: { ok: true, value: valueOf() } };
  }

  return fake;
}

function abortionOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
