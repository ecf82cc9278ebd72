import { type Clock, repeat } from '../clock.ts';
import { type AlertRecord, type AlertStore, withKeySeen } from './alert-store.ts';
import { type Changes, changesSince, messageOf, sentOf } from './changes.ts';
import { type KeyExpiry, keyExpiry } from './key-expiry.ts';
import { type Incident, type IncidentFacts, incidentsOf } from './incidents.ts';
import type { SendAlert } from './webhook.ts';

/** How often the state is looked at, in ms. */
const LOOK_EVERY_MS = 10_000;

/** What begins or ends within this time is one message, in ms. */
const TOGETHER_MS = 60_000;

/** The first and the longest wait after a message that did not arrive, in ms. */
const RETRY_MS = { first: 60_000, max: 3_600_000 };

/** What the BFF knows at the moment. */
export interface AlertFacts extends Omit<IncidentFacts, 'expiry' | 'downForMs'> {
  /** No host of the service answers. */
  readonly isServiceDown: boolean;
}

export interface AlertsOptions {
  readonly clock: Clock;
  readonly store: AlertStore;
  /** The name of the key in use, which does not reveal it. */
  readonly keyName: () => string;
  readonly facts: () => AlertFacts;
  /** Undefined where no webhook is configured: only the end of the key is watched. */
  readonly send: SendAlert | undefined;
  /** The host of the webhook; the rest of its address is a secret. */
  readonly host: string | null;
  /** Names this BFF in messages. */
  readonly origin: string;
  /** `PULSE_API_KEY_EXPIRES`. */
  readonly statedDay: string | undefined;
  readonly warn: (message: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** The state of the alerts, for the status. */
export interface AlertsStatus {
  /** The host of the webhook; null where none is configured. */
  readonly host: string | null;
  /** Messages that arrived since the start. */
  readonly sent: number;
  /** Why the last message did not arrive; null where it did. */
  readonly failure: string | null;
  /** How long until it is sent again. */
  readonly retryInMs: number;
}

/** Watches the end of the key, and tells a webhook about incidents: one message for all of a minute, and one when they are over. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #keyAtStart: string;
  #record: AlertRecord = { firstSeen: {}, sent: {} };
  #isSender = true;
  #downSince: number | undefined;
  #changedSince: number | undefined;
  #failures = 0;
  #failure: string | null = null;
  #retryAt = -Infinity;
  #sent = 0;
  #cannotKeep = false;
  #stop: () => void = () => {};

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#keyAtStart = options.keyName();
  }

  /** Reads what was kept, and begins to look. */
  async start(): Promise<void> {
    const { clock, onFault } = this.#options;
    this.#stop = repeat(clock, LOOK_EVERY_MS, () => this.#look(), onFault);
    await this.#look().catch(onFault);
  }

  close(): void {
    this.#stop();
    this.#options.store.close();
  }

  /** When the key in use ends; undefined where nobody knows. */
  keyExpiry(): KeyExpiry | undefined {
    const { clock, statedDay, store } = this.#options;
    const keyName = this.#options.keyName();
    return keyExpiry(
      {
        statedDay: keyName === this.#keyAtStart ? statedDay : undefined,
        firstSeenMs: store.isLasting ? this.#record.firstSeen[keyName] : undefined,
      },
      clock.wallNow(),
    );
  }

  status(): AlertsStatus {
    const retryInMs = this.#failure === null ? 0 : Math.max(0, this.#retryAt - this.#options.clock.now());
    return { host: this.#options.host, sent: this.#sent, failure: this.#failure, retryInMs };
  }

  async #look(): Promise<void> {
    await this.#load();
    const facts = this.#options.facts();
    const incidents = this.#incidents(facts);
    if (!this.#isSender) return void (this.#changedSince = undefined);
    await this.#keep(withKeySeen(this.#record, this.#options.keyName(), this.#options.clock.wallNow()));
    if (this.#options.send !== undefined) await this.#report(incidents, this.#options.send);
  }

  /** While the store cannot be reached, what was read last stands. */
  async #load(): Promise<void> {
    const { store } = this.#options;
    try {
      this.#isSender = await store.claim();
      this.#record = await store.load();
    } catch (cause) {
      this.#complain(cause);
    }
  }

  #incidents(facts: AlertFacts): Incident[] {
    const now = this.#options.clock.now();
    this.#downSince = facts.isServiceDown ? (this.#downSince ?? now) : undefined;
    const downForMs = this.#downSince === undefined ? 0 : now - this.#downSince;
    return incidentsOf({ ...facts, expiry: this.keyExpiry(), downForMs });
  }

  async #report(incidents: readonly Incident[], send: SendAlert): Promise<void> {
    const changes = changesSince(this.#record.sent, incidents);
    if (changes === undefined) return void (this.#changedSince = undefined);
    const now = this.#options.clock.now();
    this.#changedSince ??= now;
    if (now < this.#changedSince + TOGETHER_MS || now < this.#retryAt) return;
    if (await this.#hasArrived(changes, send)) await this.#keep({ ...this.#record, sent: sentOf(incidents) });
  }

  async #hasArrived(changes: Changes, send: SendAlert): Promise<boolean> {
    const { clock, host, origin, warn } = this.#options;
    const outcome = await send(messageOf(changes, origin));
    if (outcome.ok) {
      this.#sent += 1;
      [this.#failures, this.#failure, this.#changedSince] = [0, null, undefined];
      return true;
    }
    if (this.#failures === 0)
      warn(`Cannot send an alert to ${host} (PULSE_ALERT_URL): ${outcome.failure}; it is sent again`);
    this.#retryAt = clock.now() + Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** this.#failures);
    this.#failure = outcome.failure;
    this.#failures += 1;
    return false;
  }

  /** Keeps a record that has changed; in this process alone while the store takes none. */
  async #keep(record: AlertRecord): Promise<void> {
    if (record === this.#record) return;
    this.#record = record;
    try {
      await this.#options.store.save(record);
      this.#cannotKeep = false;
    } catch (cause) {
      this.#complain(cause);
    }
  }

  #complain(cause: unknown): void {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
    if (!this.#cannotKeep) this.#options.warn(`Cannot keep what was sent as alerts (${code}): it may be sent twice`);
    this.#cannotKeep = true;
  }
}
