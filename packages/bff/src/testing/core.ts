import { ApiKey } from '../lib/api-key.ts';
import { Answers } from '../pulses/answers.ts';
import { entryFormat } from '../pulses/entry-format.ts';
import { Pulses, type PulsesOptions } from '../pulses/pulses.ts';
import { startRefreshLoop } from '../pulses/refresh-loop.ts';
import { StateFolder } from '../pulses/state-folder.ts';
import type { SharedStore } from '../pulses/shared-store.ts';
import { LocalCallBudget } from '../upstream/call-budget.ts';
import { Key } from '../upstream/key.ts';
import { Upstream } from '../upstream/upstream.ts';
import { BASES, type Ending, FakeService, KEY_A } from './fake-service.ts';
import { createVirtualClock, overTime, type VirtualClock } from './virtual-clock.ts';

export interface CoreOptions {
  readonly clock?: VirtualClock;
  readonly service?: FakeService;
  readonly ids?: readonly string[];
  readonly sources?: PulsesOptions['config']['sources'];
  readonly access?: 'public' | 'token';
  readonly authStaleMs?: number;
  readonly hasAlt?: boolean;
  readonly stateDir?: string | undefined;
  readonly exposed?: ReadonlySet<string>;
  readonly store?: SharedStore;
  /** The key file's text; without it, the key never changes. */
  readonly keyFile?: { text: string };
  /** Whether nothing is known about earlier calls. @default false */
  readonly isCold?: boolean;
  readonly limit?: number;
}

/** The core of a BFF in front of a fake service, on a clock that a test advances. */
export async function openCore(options: CoreOptions = {}) {
  const clock = options.clock ?? createVirtualClock();
  const { authStaleMs = 600_000, access = 'public', ids = ['src_1', 'src_2'] } = options;
  const freshMs = 15_000;
  const service = options.service ?? new FakeService(clock, ids);
  const faults: unknown[] = [];
  const warnings: string[] = [];
  const log = { warn: (line: string) => warnings.push(line) > 0, fault: (fault: unknown) => void faults.push(fault) };
  const { keyFile, stateDir, exposed = new Set(), sources = { listed: true, ids: [] } } = options;
  const first = ApiKey.from(keyFile?.text ?? KEY_A);
  if (first === undefined) throw new Error('not a key');
  const key = new Key(
    first,
    { clock, log, read: async () => Buffer.from(keyFile?.text ?? '') },
    keyFile && { path: '/nowhere', reloadMs: 5_000 },
  );
  const format = entryFormat({ clock, exposed, freshMs });
  const folder = stateDir === undefined ? undefined : new StateFolder(stateDir, { clock, format, log });
  const earlier = await folder?.earlier();
  const settings = { limit: options.limit ?? 60, windowMs: 60_000, reserve: 15, callMs: 5_000 };
  const earlierCalls = folder ? earlier?.calls : options.isCold ? undefined : [];
  const onSent = (times: readonly number[]) => folder?.saveCalls(times);
  const budget =
    options.store?.budget ?? new LocalCallBudget(settings, { startedAt: clock.now(), earlierCalls, onSent });
  const upstream = new Upstream({
    baseUrl: BASES.main,
    ...(options.hasAlt && { altBaseUrl: BASES.alt }),
    timeoutMs: 5_000,
    key,
    budget,
    outgoing: service.outgoing,
    clock,
    random: () => 0.5,
  });
  if (earlier?.rejected?.keyName === key.name) key.restoreRejection(earlier.rejected.since);
  const answers = new Answers({ upstream, key, folder, store: options.store, clock, log, freshMs });
  let stopLoop = (): void => {};
  const config = { sources, freshMs, staleMs: 86_400_000, authStaleMs, access };
  const pulses = new Pulses({ answers, config, clock });
  const start = async (): Promise<void> => {
    await answers.restore();
    stopLoop = startRefreshLoop(answers, clock);
    pulses.start();
  };
  const stop = async (): Promise<void> => {
    pulses.close();
    stopLoop();
    upstream.close();
    key.close();
  };
  return {
    clock,
    service,
    key,
    budget,
    upstream,
    answers,
    config,
    pulses,
    faults,
    warnings,
    start,
    stopLoop: () => stopLoop(),
    stop,
  };
}

export type Core = Awaited<ReturnType<typeof openCore>>;

/** A core whose service ends every call in this way. */
export async function openFailing(ending: Ending, options: CoreOptions = {}): Promise<Core> {
  const core = await openCore(options);
  core.service.ending = () => ending;
  return core;
}

/** Fetches a target for a reader who has nothing to see yet, and lets time pass until the fetch completes. */
export async function fetchFrom({ upstream, clock }: Core, target = 'src_1', isAwaited = true) {
  return overTime(clock, upstream.fetch(target, { isAwaited }));
}

/** Takes every call that the budget allows now. */
export function spendBudget({ budget, clock }: Core): void {
  while (budget.waitMs(clock.now()) === 0) {
    void budget.take(clock.now());
    budget.ended(clock.now(), {});
  }
}
