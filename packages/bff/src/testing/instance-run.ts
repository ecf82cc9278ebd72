import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PulseCache } from '../cache/pulse-cache.ts';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { LookupResult } from '../cache/freshness.ts';
import { type Clock, guardedClock } from '../lib/clock.ts';
import { readConfig } from '../config/config.ts';
import { keyFileBackend } from '../features/key-file/key-file.ts';
import { stateFolderBackend } from '../features/state-folder/open-state-folder.ts';
import { openCache, type OpenCache } from '../open-cache.ts';
import { type FaultyDisk, openFaultyDisk } from './faulty-disk.ts';
import { ANY_READER } from './cache-harness.ts';
import { createVirtualClock, settled } from './virtual-clock.ts';
import { createFaultyService, type FaultyService, type ServiceFault } from './faulty-service.ts';

const STEP_MS = 250;

/** The time between two reads of a source, in ms: with many readers, and with few readers. */
const READ_EVERY_MS = 1_000;
export const SELDOM_READ_EVERY_MS = 30_000;

export const WINDOW_MS = 60_000;
export const FRESH_MS = 15_000;

/** A stop that takes longer than this, in ms, is a failure. */
const STOP_MS = 10_000;

/** Two accounts and their keys. */
const KEYS = { 'pk-of-the-first-account': 'acc_1', 'pk-of-the-second-account': 'acc_2' } as const;

/** An event that affects the process, its machine, or the service. `forMs`: how long it lasts. */
export type InjectedFault =
  | { readonly kind: 'service'; readonly atMs: number; readonly forMs: number; readonly fault: ServiceFault }
  /**
   * The process is killed, or it is stopped the way a service manager would stop it. It is restarted when the event is
   * over. Or the machine is rebooted, with a monotonic clock that starts at zero.
   */
  | { readonly kind: 'killed' | 'stopped' | 'reboot' | 'disk-full'; readonly atMs: number; readonly forMs: number }
  /** The machine's wall clock is set. */
  | { readonly kind: 'clock'; readonly atMs: number; readonly byMs: number }
  /** The key file contains the other account's key from now on. */
  | { readonly kind: 'account'; readonly atMs: number };

export interface InstanceRunOptions {
  readonly injectedFaults: readonly InjectedFault[];
  readonly sources: number;
  /**
   * If true, half of the sources are read every second, and the others rarely. If false, all sources are read rarely.
   */
  readonly hasReaders: boolean;
  readonly hasStateDir: boolean;
  readonly hasAltHost: boolean;
  /** The first source fails permanently. This must not affect the others. */
  readonly firstFailsForGood: boolean;
}

/** Returns whether a source has many readers. */
export function isReadOften(index: number, hasReaders: boolean): boolean {
  return hasReaders && index % 2 === 1;
}

/**
 * Runs one process with its own folder on a virtual clock: first with injected errors, and then without errors for more
 * than a window.
 */
export async function runInstance(options: InstanceRunOptions) {
  const run = new Run(options);
  try {
    return await run.play();
  } finally {
    run.dispose();
  }
}

/** The result of a run. */
export type InstanceRun = Awaited<ReturnType<typeof runInstance>>;

interface Process {
  readonly opened: OpenCache;
  readonly cache: PulseCache;
  /** Each timer's cancel function and length, in ms. */
  readonly timers: Map<() => void, number>;
  isAlive: boolean;
  /** Sources that the process has shown with a pulse. */
  readonly displayed: Set<string>;
}

class Run {
  readonly #options: InstanceRunOptions;
  readonly #world = createVirtualClock(0, Date.UTC(2026, 4, 8, 9));
  readonly #folder = mkdtempSync(join(tmpdir(), 'pulse-liveness-'));
  readonly #disk: FaultyDisk;
  readonly #service: FaultyService;
  readonly #sourceIds: readonly string[];
  readonly #fetch = globalThis.fetch;
  readonly #seen = {
    /** Descriptions of answers that a reader should never have seen. */
    wrongReadings: [] as string[],
    /** Descriptions of the errors that occurred while an instance stopped. */
    wrongStops: [] as string[],
    /** Uncaught errors in the background. */
    faults: [] as string[],
  };
  #process: Process | undefined;
  #movedUntil = -Infinity;
  /** The machine's monotonic time, which starts at its last boot. */
  #bootedAtMs = -100_000_000;
  #wallShiftMs = 0;
  #key: keyof typeof KEYS = 'pk-of-the-first-account';
  /** Whether the other account's key was ever in use. If so, pulses that were shown before may disappear. */
  #isAccountChanged = false;

  constructor(options: InstanceRunOptions) {
    this.#options = options;
    this.#sourceIds = Array.from({ length: options.sources }, (_, index) => `src_${index + 1}`);
    this.#service = createFaultyService(this.#world, this.#sourceIds, KEYS);
    this.#disk = openFaultyDisk(this.#folder);
    this.#writeKey();
    if (options.firstFailsForGood) this.#service.begin('one-source-fails');
  }

  async play() {
    const { injectedFaults } = this.#options;
    const calmFromMs = Math.max(...injectedFaults.map((fault) => fault.atMs + ('forMs' in fault ? fault.forMs : 0)));
    await this.#start();
    const endMs = calmFromMs + WINDOW_MS + FRESH_MS + SELDOM_READ_EVERY_MS + 5_000;
    for (let now = 0; now < endMs; now += STEP_MS) {
      await this.#world.advance(STEP_MS);
      await this.#moveAll();
      if (this.#world.now() % READ_EVERY_MS === 0) this.#read();
      await settled();
    }
    await this.#stop();
    return { calls: this.#service.calls, calmFromMs, sourceIds: this.#sourceIds, ...this.#seen };
  }

  dispose(): void {
    this.#disk[Symbol.dispose]();
    globalThis.fetch = this.#fetch;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Starts and ends the events that have become due since the last call. Time may have passed while a process was
   * stopped.
   */
  async #moveAll(): Promise<void> {
    const [from, to] = [this.#movedUntil, this.#world.now()];
    this.#movedUntil = to;
    for (const injectedFault of this.#options.injectedFaults)
      await this.#move(injectedFault, (atMs) => atMs > from && atMs <= to);
  }

  async #move(injectedFault: InjectedFault, isNow: (atMs: number) => boolean): Promise<void> {
    if (isNow(injectedFault.atMs)) await this.#begin(injectedFault);
    if ('forMs' in injectedFault && isNow(injectedFault.atMs + injectedFault.forMs)) await this.#end(injectedFault);
  }

  async #begin(injectedFault: InjectedFault): Promise<void> {
    switch (injectedFault.kind) {
      case 'service':
        return this.#service.begin(injectedFault.fault);
      case 'killed':
        return this.#kill();
      case 'stopped':
        return this.#stop();
      case 'reboot':
        this.#kill();
        this.#bootedAtMs = this.#world.now();
        return;
      case 'disk-full':
        this.#disk.isFull = true;
        return;
      case 'clock':
        this.#wallShiftMs += injectedFault.byMs;
        return;
      case 'account':
        this.#key = this.#key === 'pk-of-the-first-account' ? 'pk-of-the-second-account' : 'pk-of-the-first-account';
        this.#isAccountChanged = true;
        return this.#writeKey();
    }
  }

  async #end(injectedFault: InjectedFault): Promise<void> {
    if (injectedFault.kind === 'service') this.#service.end(injectedFault.fault);
    else if (injectedFault.kind === 'disk-full') this.#disk.isFull = false;
    else if (injectedFault.kind !== 'clock' && injectedFault.kind !== 'account' && !this.#process) await this.#start();
  }

  async #start(): Promise<void> {
    const { hasStateDir, hasAltHost } = this.#options;
    const timers = new Map<() => void, number>();
    const life = { isAlive: true };
    const onFault = (fault: unknown) => void this.#seen.faults.push(String(fault));
    const clock = this.#clockOf(life, timers);
    globalThis.fetch = this.#service.fetchOf(() => life.isAlive);
    const opened = await openCache(
      readConfig(
        {
          PULSE_API_KEY_FILE: join(this.#folder, 'key'),
          PULSE_BASE_URL: 'https://service.test',
          ...(hasAltHost && { PULSE_ALT_BASE_URL: 'https://alt.service.test' }),
          ...(hasStateDir && { PULSE_STATE_DIR: join(this.#folder, 'state') }),
        },
        { ...keyFileBackend.variables, ...stateFolderBackend.variables },
      ),
      {
        clock: guardedClock(clock, onFault),
        backends: [keyFileBackend, stateFolderBackend],
        observer: {},
        startedAt: clock.now(),
        warn: () => {},
        onFault,
      },
    );
    await opened.cache.start();
    this.#process = Object.assign(life, { opened, cache: opened.cache, timers, displayed: new Set<string>() });
  }

  #clockOf(life: { readonly isAlive: boolean }, timers: Map<() => void, number>): Clock {
    return {
      now: () => this.#world.now() - this.#bootedAtMs,
      wallNow: () => this.#world.wallNow() + this.#wallShiftMs,
      schedule: (afterMs, run) => {
        const cancel = this.#world.schedule(afterMs, () => {
          timers.delete(cancel);
          if (life.isAlive) run();
        });
        timers.set(cancel, afterMs);
        return () => (timers.delete(cancel), cancel());
      },
    };
  }

  #kill(): void {
    if (this.#process) this.#cut(this.#process);
    this.#process = undefined;
  }

  /**
   * Stops the process the way a service manager would. The stop must take at most ten seconds and leave nothing
   * running.
   */
  async #stop(): Promise<void> {
    const stopped = this.#process;
    if (!stopped) return;
    this.#process = undefined;
    const progress = { isDone: false };
    void stopped.opened.close().then(() => (progress.isDone = true));
    for (let passedMs = 0; passedMs < STOP_MS && !progress.isDone; passedMs += STEP_MS)
      await this.#world.advance(STEP_MS);
    const wrong = (what: string): void => void this.#seen.wrongStops.push(`a stop at ${this.#world.now()} ms ${what}`);
    if (!progress.isDone) wrong(`takes longer than ${STOP_MS} ms`);
    for (const afterMs of stopped.timers.values()) wrong(`leaves a timer of ${afterMs} ms`);
    this.#cut(stopped);
    if (this.#options.hasStateDir)
      for (const file of readdirSync(join(this.#folder, 'state'), { recursive: true }))
        if (/lock|\.new$|\.tmp/.test(String(file))) wrong(`leaves ${String(file)}`);
  }

  /** Stops everything that a process runs. */
  #cut(process: Process): void {
    process.isAlive = false;
    for (const cancel of process.timers.keys()) cancel();
  }

  #read(): void {
    const { hasReaders } = this.#options;
    const isTimeOfFew = this.#world.now() % SELDOM_READ_EVERY_MS === 0;
    for (const [index, sourceId] of this.#sourceIds.entries()) {
      const process = this.#process;
      if (!process || !(isTimeOfFew || isReadOften(index, hasReaders))) continue;
      const askedAtMs = this.#world.now();
      const lookup = Promise.resolve(process.cache.reader.read(sourceId, ANY_READER));
      void lookup.then((read) => process.isAlive && this.#judge(process, { sourceId, askedAtMs, read }));
    }
  }

  /** Checks that a pulse stays once it was shown, and that only the service's answers for this source are shown. */
  #judge(
    process: Process,
    { sourceId, askedAtMs, read }: { sourceId: string; askedAtMs: number; read: LookupResult<SourceSnapshot> },
  ): void {
    const wrong = (what: string): void =>
      void this.#seen.wrongReadings.push(`${sourceId}, read at ${askedAtMs} ms: ${what}`);
    if (!read.ok) {
      if (process.displayed.has(sourceId) && !this.#isAccountChanged)
        wrong(`was shown before, and now is ${read.code}`);
      if (read.code === 'pulse_not_found') wrong(read.code);
      return;
    }
    const { pulse } = read.value;
    if (pulse === null) return wrong('has no pulse');
    process.displayed.add(sourceId);
    const [account, about] = pulse.jobRunId.split('.');
    if (about !== sourceId || pulse.sourceId !== sourceId) wrong(`shows ${pulse.jobRunId}`);
    if (!this.#accountsAllowedFrom(askedAtMs).has(account)) wrong(`shows ${pulse.jobRunId}, of another account`);
  }

  /**
   * The accounts whose answers a reader may see after a request at that time. They are the account of the last good
   * answer before that time, and the accounts of the answers since.
   */
  #accountsAllowedFrom(askedAtMs: number): Set<string | undefined> {
    const answered = this.#service.calls.filter(({ answeredAt }) => answeredAt !== undefined);
    const last = answered.findLast(({ answeredAt = 0 }) => answeredAt < askedAtMs);
    const since = answered.filter(({ answeredAt = 0 }) => answeredAt >= askedAtMs);
    return new Set([last, ...since].map((call) => call?.account));
  }

  #writeKey(): void {
    const isFull = this.#disk.isFull;
    this.#disk.isFull = false;
    writeFileSync(join(this.#folder, 'key.new'), this.#key);
    renameSync(join(this.#folder, 'key.new'), join(this.#folder, 'key'));
    this.#disk.isFull = isFull;
  }
}
