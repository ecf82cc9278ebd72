import type { Redis } from 'ioredis';
import type { Clock } from '../clock.ts';

/** How often a subscription is checked, and tried again if it failed, in ms. */
const CHECK_EVERY_MS = 5_000;

/** Receives the messages of a channel. */
export interface ChannelListener {
  onMessage(message: string): void;
  /** Messages may have been missed: the subscription has begun, or failed. Called at every check while it fails. */
  onMissed(): void;
}

/** Keeps one channel subscribed over reconnects, refused commands and dead connections. */
export class ChannelSubscription {
  readonly #client: Redis;
  readonly #clock: Clock;
  readonly #onFailure: (cause: unknown) => void;
  #channel: string | undefined;
  #listener: ChannelListener | undefined;
  #isActive = false;
  #cancel = (): void => {};

  /** `client` is used for nothing else. `onFailure` receives the error of each subscription that failed. */
  constructor(client: Redis, clock: Clock, onFailure: (cause: unknown) => void) {
    this.#client = client;
    this.#clock = clock;
    this.#onFailure = onFailure;
    client.on('message', (from, message) => {
      if (from === this.#channel) this.#listener?.onMessage(message);
    });
    client.on('ready', () => void this.#subscribe());
    client.on('close', () => (this.#isActive = false));
  }

  /** Whether messages are received now, as far as is known. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Subscribes to `channel`, and to no other from now on. */
  start(channel: string, listener: ChannelListener): void {
    [this.#channel, this.#listener, this.#isActive] = [channel, listener, false];
    if (this.#client.status === 'ready') void this.#subscribe();
    this.#checkLater();
  }

  /** Ends the checks. */
  stop(): void {
    this.#cancel();
    this.#channel = undefined;
  }

  #checkLater(): void {
    this.#cancel();
    this.#cancel = this.#clock.schedule(CHECK_EVERY_MS, () => {
      void this.#check();
      this.#checkLater();
    });
  }

  async #check(): Promise<void> {
    if (this.#client.status !== 'ready') return;
    if (!this.#isActive) return this.#subscribe();
    // A router may have dropped an idle connection without closing it.
    await this.#client.ping().catch(() => this.#client.disconnect(true));
  }

  async #subscribe(): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined) return;
    try {
      await this.#client.subscribe(channel);
      if (channel !== this.#channel) return;
      this.#isActive = true;
    } catch (cause) {
      this.#onFailure(cause);
    }
    this.#listener?.onMissed();
  }
}
