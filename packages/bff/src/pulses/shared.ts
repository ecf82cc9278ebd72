import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { openOutgoing } from '../lib/outgoing.ts';
import type { BudgetSettings } from '../upstream/budget.ts';
import { LocalCallBudget } from '../upstream/call-budget.ts';
import { type Key, openKey } from '../upstream/key.ts';
import { Upstream } from '../upstream/upstream.ts';
import { Answers } from './answers.ts';
import { Keeper } from './keeper.ts';
import { RefreshLoop } from './refresh-loop.ts';
import { StateFolder } from './state-folder.ts';
import type { SharedStore } from './store.ts';

/** The options of the store that all instances share. */
export interface OpenStoreParts {
  readonly config: Config;
  readonly key: Key;
  readonly clock: Clock;
  readonly budget: BudgetSettings;
}

/** Opens what instances share in Redis; undefined if it isn't configured. */
export type OpenStore = (parts: OpenStoreParts) => Promise<SharedStore | undefined>;

export interface OpenAnswersOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly openStore?: OpenStore | undefined;
  /** When this process started, if it only serves the BFF. @default now */
  readonly startedAt?: number | undefined;
}

/** Responses that several routers in this process may use. The last `close()` ends them. */
export interface OpenedAnswers {
  readonly answers: Answers;
  close(): Promise<void>;
}

interface Shared {
  readonly opened: Promise<OpenedAnswers>;
  users: number;
  isToldOnce: boolean;
}

/** Copies of this module in one process find each other under this name. */
const SHARED = Symbol.for('pulse-card.answers.1');

/**
 * Opens the service's responses, or joins those that another router in this process has opened with the same key, URLs,
 * limit, and window. Throws a `ConfigError` if the key or a file can't be used.
 */
export async function openAnswers(config: Config, options: OpenAnswersOptions): Promise<OpenedAnswers> {
  const key = await openKey(config, options);
  const shared = ((globalThis as { [SHARED]?: Map<string, Shared> })[SHARED] ??= new Map());
  const name = nameOf(config, key);
  const before = shared.get(name);
  const mine: Shared = before ?? { opened: open(config, key, options), users: 0, isToldOnce: false };
  shared.set(name, mine);
  mine.users += 1;
  if (before) {
    key.close();
    if (!before.isToldOnce) options.log.info(TOLD);
    before.isToldOnce = true;
  }
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    mine.users -= 1;
    if (mine.users > 0) return;
    if (shared.get(name) === mine) shared.delete(name);
    await (await mine.opened).close();
  };
  try {
    return { answers: (await mine.opened).answers, close };
  } catch (error) {
    if (shared.get(name) === mine) shared.delete(name);
    throw error;
  }
}

const TOLD = 'Another PulseCard router in this process uses the same key: they share calls, responses, and the budget';

/** What must be the same for two routers to share. The name doesn't reveal the key. */
function nameOf(config: Config, key: Key): string {
  const { baseUrl, altBaseUrl, rateLimit, rateWindowMs } = config;
  const same = [key.name, baseUrl, altBaseUrl, rateLimit, rateWindowMs];
  return createHash('sha256').update(JSON.stringify(same)).digest('base64url');
}

async function open(
  config: Config,
  key: Key,
  { log, clock, openStore, startedAt }: OpenAnswersOptions,
): Promise<OpenedAnswers> {
  const { stateDir, expose, freshMs, upstreamTimeoutMs } = config;
  const warn = (message: string): void => void log.warn(message);
  const folder =
    stateDir === undefined ? undefined : new StateFolder(stateDir, { clock, warn, exposed: expose, freshMs });
  const settings = {
    limit: config.rateLimit,
    windowMs: config.rateWindowMs,
    reserve: config.rateReserve,
    callMs: upstreamTimeoutMs,
  };
  const earlierCalls = await folder?.earlierCalls();
  const local = new LocalCallBudget(settings, {
    startedAt: startedAt ?? clock.now(),
    earlierCalls,
    ...(folder && { onSent: (times: readonly number[]) => folder.saveCalls(times) }),
  });
  const store = await openStore?.({ config, key, clock, budget: settings });
  const outgoing = openOutgoing({ proxies: config.proxies });
  const upstream = new Upstream({
    baseUrl: config.baseUrl,
    altBaseUrl: config.altBaseUrl,
    timeoutMs: upstreamTimeoutMs,
    key,
    budget: store?.budget ?? local,
    outgoing,
    clock,
    onUnreadable: (target, fields) =>
      warn(`The service sent values that can’t be read, for ${target}: ${fields.join(', ')}`),
  });
  const keeper = new Keeper({ key, keyState: upstream.keyState, clock, folder, store });
  const answers = new Answers({ upstream, key, keeper, clock, log, freshMs });
  const loop = new RefreshLoop(answers, { clock, freshMs });
  await answers.restore();
  loop.start();
  const close = async (): Promise<void> => {
    loop.stop();
    upstream.close();
    key.close();
    await answers.settled();
    outgoing.close();
    store?.close();
  };
  return { answers, close };
}
