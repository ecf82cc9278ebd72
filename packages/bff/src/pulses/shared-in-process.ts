import type { Base, Config } from '../config.ts';
import { processStartedMs } from '../lib/clock.ts';
import { openOutgoing } from '../lib/outgoing.ts';
import { type BudgetSettings, LocalCallBudget } from '../upstream/call-budget.ts';
import { type Key, openKey } from '../upstream/key.ts';
import { Upstream } from '../upstream/upstream.ts';
import { Answers } from './answers.ts';
import { type EntryFormat, entryFormat } from './entry-format.ts';
import { startRefreshLoop } from './refresh-loop.ts';
import { StateFolder } from './state-folder.ts';
import type { SharedStore } from './shared-store.ts';

/** The options for the store that all instances share. */
export interface OpenStoreParts extends Omit<Base, 'log'> {
  readonly key: Key;
  /** The format in which responses are stored. */
  readonly format: EntryFormat;
  readonly budget: BudgetSettings;
}

export interface OpenAnswersOptions extends Omit<Base, 'config'> {
  /** Opens what instances share in Redis; undefined if it isn't configured. */
  readonly openStore?: ((parts: OpenStoreParts) => Promise<SharedStore | undefined>) | undefined;
  /** Whether this process serves only the BFF, so that the budget starts with it. @default false */
  readonly ownsProcess?: boolean;
}

/** Responses that several routers in this process may use. The last `close()` ends them. */
export interface OpenedAnswers {
  readonly answers: Answers;
  close(): Promise<void>;
}

interface Shared {
  /** Two routers share responses only if these values, and their keys, are the same. */
  readonly service: string;
  readonly key: Key;
  readonly opened: Promise<OpenedAnswers>;
  users: number;
  isToldOnce: boolean;
}

/** Copies of this module in one process use this name to find each other. */
const SHARED = Symbol.for('pulse-card.answers.3');

const TOLD =
  'Another Pulse Card router in this process uses the same key: they share calls, responses, and the budget, and the first one’s PULSE_FRESH_MS, PULSE_STATE_DIR, and REDIS_URL apply to both';

/**
 * Opens the service's responses, or shares those of another router in this process that has the same URLs, limit, and
 * window and currently uses the same key. Throws a `ConfigError` if the key or a file can't be used.
 */
export async function openAnswers(config: Config, options: OpenAnswersOptions): Promise<OpenedAnswers> {
  const key = await openKey(config, options);
  const all = ((globalThis as { [SHARED]?: Set<Shared> })[SHARED] ??= new Set());
  const service = JSON.stringify([config.baseUrl, config.altBaseUrl, config.rateLimit, config.rateWindowMs]);
  // After a rotation, a router that is already open takes a while to read the new key.
  await Promise.all([...all].map((each) => each.key.reload()));
  const before = [...all].find((each) => each.service === service && each.key.name === key.name);
  const mine: Shared = before ?? { service, key, opened: open(config, key, options), users: 0, isToldOnce: false };
  all.add(mine);
  mine.users += 1;
  if (before) {
    key.close();
    if (!before.isToldOnce) options.log.info(TOLD);
    before.isToldOnce = true;
  }
  const close = async (): Promise<void> => {
    mine.users -= 1;
    if (mine.users > 0) return;
    all.delete(mine);
    await (await mine.opened).close();
  };
  try {
    return { answers: (await mine.opened).answers, close };
  } catch (error) {
    all.delete(mine);
    mine.key.close();
    throw error;
  }
}

async function open(
  config: Config,
  key: Key,
  { log, clock, openStore, ownsProcess = false }: OpenAnswersOptions,
): Promise<OpenedAnswers> {
  const { stateDir, expose, freshMs, upstreamTimeoutMs: timeoutMs } = config;
  const startedAt = ownsProcess ? processStartedMs : clock.now();
  const format = entryFormat({ clock, exposed: expose, freshMs });
  const folder = stateDir === undefined ? undefined : new StateFolder(stateDir, { clock, format, log });
  const earlier = await folder?.earlier();
  const budget = {
    limit: config.rateLimit,
    windowMs: config.rateWindowMs,
    reserve: config.rateReserve,
    callMs: timeoutMs,
  };
  const store = await openStore?.({ config, key, clock, format, budget });
  const onSent = (times: readonly number[]): void => folder?.saveCalls(times);
  const outgoing = openOutgoing({ proxies: config.proxies });
  const upstream = new Upstream({
    baseUrl: config.baseUrl,
    altBaseUrl: config.altBaseUrl,
    timeoutMs,
    key,
    budget: store?.budget ?? new LocalCallBudget(budget, { startedAt, earlierCalls: earlier?.calls, onSent }),
    outgoing,
    clock,
  });
  if (earlier?.rejected?.keyName === key.name) key.restoreRejection(earlier.rejected.since);
  const answers = new Answers({ upstream, key, folder, store, clock, log, freshMs });
  await answers.restore();
  const stopLoop = startRefreshLoop(answers, clock);
  const close = async (): Promise<void> => {
    stopLoop();
    upstream.close();
    key.close();
    outgoing.close();
    store?.close();
  };
  return { answers, close };
}
