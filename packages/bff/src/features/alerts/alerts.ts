import { type Clock, repeat } from '../../lib/clock.ts';
import { type Problem, topicOf } from '../../observability/problem.ts';
import { type AlertRecord, type AlertStore, withKeySeen } from './alert-store.ts';
import { type KeyExpiry, keyExpiry } from './key-expiry.ts';
import { chatText, messageOf, type Webhook, withoutDomains } from './webhook.ts';

/** The time between two checks for problems, in ms. */
const LOOK_EVERY_MS = 10_000;

/**
 * Problems that begin or end within this time, in ms, share one message. If a message didn't arrive, it is sent again
 * after this time, too.
 */
const TOGETHER_MS = 60_000;

/** How long a problem must last before it becomes an alert, in ms, by code. Other problems never become alerts. */
const ALERT_AFTER_MS: Readonly<Partial<Record<string, number>>> = {
  upstream_auth: 0,
  key_file_refused: 0,
  key_ends: 0,
  source_broken: 0,
  source_overdue: 0,
  upstream_unavailable: 600_000,
};

/** How many days before the key's expiry a new alert is sent. */
const DAYS_BEFORE_END = [1, 7, 15];

export interface AlertsOptions {
  readonly clock: Clock;
  readonly store: AlertStore;
  /** The name of the key in use. The name doesn't reveal the key. */
  readonly keyName: () => string;
  readonly problems: () => readonly Problem[];
  /** Undefined if no webhook is configured. If there is no webhook, only the key's expiry is watched. */
  readonly webhook: Webhook | undefined;
  /** The name of this BFF in messages. */
  readonly origin: string;
  /** `PULSE_API_KEY_EXPIRES`. */
  readonly statedDay: string | undefined;
  readonly warn: (message: string) => void;
}

/** The state of the alerts, for the status. */
export interface AlertsStatus {
  /** The host of the webhook; null if none is configured. */
  readonly host: string | null;
  /** How many messages have arrived since startup. */
  readonly sent: number;
  /** Why the last message didn't arrive; null if it did arrive. */
  readonly failure: string | null;
}

/** A problem that has become an alert. */
interface Alert {
  /** Each topic has at most one alert. */
  readonly topic: string;
  /** The stage changes when the same problem gets worse. Each stage is sent only once. */
  readonly stage: string;
  readonly headline: string;
  readonly advice: string;
}

/**
 * Watches the key's expiry, and reports problems to a webhook. All problems that begin within a minute share one
 * message. All problems that end within a minute share another one.
 */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #keyAtStart: string;
  /** When each problem was first seen. */
  readonly #since = new Map<string, number>();
  #record: AlertRecord = { firstSeen: {}, sent: {} };
  #isSender = true;
  /** When the oldest unsent change was detected. */
  #changedSince: number | undefined;
  #failure: string | null = null;
  #sent = 0;
  #cannotKeep = false;
  #stop: () => void = () => {};

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#keyAtStart = options.keyName();
  }

  /** Loads the record and starts to watch. */
  async start(): Promise<void> {
    const { clock, warn } = this.#options;
    const stated = this.keyExpiry();
    if (stated !== undefined && stated.inDays < 0)
      warn(`PULSE_API_KEY_EXPIRES is in the past (${stated.day}): set the expiry date of the key that is in use`);
    this.#stop = repeat(clock, LOOK_EVERY_MS, () => this.#look());
    await this.#look();
  }

  close(): void {
    this.#stop();
  }

  /** When the current key expires; undefined if this is unknown. */
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
    return { host: this.#options.webhook?.host ?? null, sent: this.#sent, failure: this.#failure };
  }

  async #look(): Promise<void> {
    await this.#load();
    const alerts = this.#alerts();
    if (!this.#isSender) return void (this.#changedSince = undefined);
    await this.#keep(withKeySeen(this.#record, this.#options.keyName(), this.#options.clock.wallNow()));
    if (this.#options.webhook !== undefined) await this.#report(alerts, this.#options.webhook);
  }

  /** If the store can't be reached, the last record is used. */
  async #load(): Promise<void> {
    const { store } = this.#options;
    try {
      this.#isSender = await store.claim();
      this.#record = await store.load();
    } catch (cause) {
      this.#complain(cause);
    }
  }

  #alerts(): Alert[] {
    const now = this.#options.clock.now();
    const problems = new Map(this.#options.problems().map((each) => [topicOf(each), each]));
    for (const topic of this.#since.keys()) if (!problems.has(topic)) this.#since.delete(topic);
    return [...problems].flatMap(([topic, { code, headline, advice, sourceId }]) => {
      const since = this.#since.get(topic) ?? now;
      this.#since.set(topic, since);
      if (now - since < (ALERT_AFTER_MS[code] ?? Infinity)) return [];
      const stage = code === 'key_ends' ? this.#stage() : '';
      return [
        { topic, stage, headline: sourceId === undefined ? withoutDomains(headline) : chatText(headline), advice },
      ];
    });
  }

  #stage(): string {
    const { inDays = Infinity } = this.keyExpiry() ?? {};
    return String(DAYS_BEFORE_END.find((days) => inDays <= days));
  }

  async #report(alerts: readonly Alert[], webhook: Webhook): Promise<void> {
    const { sent } = this.#record;
    const begun = alerts.filter(({ topic, stage }) => sent[topic]?.stage !== stage);
    // A problem that was found again just after a restart isn't over, although it isn't an alert yet.
    const isOver = (topic: string): boolean => !this.#since.has(topic);
    const over = Object.entries(sent).filter(([topic]) => isOver(topic));
    if (begun.length + over.length === 0) return void (this.#changedSince = undefined);
    const now = this.#options.clock.now();
    this.#changedSince ??= now;
    if (now < this.#changedSince + TOGETHER_MS) return;
    this.#changedSince = now;
    const lines = [
      ...begun.map(({ headline, advice }) => `${headline} ${advice}`),
      ...over.map(([, { headline }]) => `Over: ${headline}`),
    ];
    if (!(await this.#hasArrived(lines, webhook))) return;
    this.#changedSince = undefined;
    const lasting = Object.entries(sent).filter(([topic]) => !isOver(topic));
    const sentNow = alerts.map(({ topic, stage, headline }) => [topic, { stage, headline }] as const);
    await this.#keep({ ...this.#record, sent: Object.fromEntries([...lasting, ...sentNow]) });
  }

  async #hasArrived(lines: readonly string[], webhook: Webhook): Promise<boolean> {
    const { origin, warn } = this.#options;
    const outcome = await webhook.send(messageOf(lines, origin));
    if (outcome.ok) this.#sent += 1;
    else if (this.#failure === null)
      warn(`Cannot send an alert to ${webhook.host} (PULSE_ALERT_URL): ${outcome.failure}; it will be sent again`);
    this.#failure = outcome.ok ? null : outcome.failure;
    return outcome.ok;
  }

  /** Stores a changed record. If the store fails, only this process has the record. */
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
    if (this.#options.webhook !== undefined && !this.#cannotKeep)
      this.#options.warn(`Cannot store which alerts were sent (${code}): they may be sent twice`);
    this.#cannotKeep = true;
  }
}
