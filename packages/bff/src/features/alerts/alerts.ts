import { z } from 'zod';
import type { Config } from '../../config.ts';
import { type Clock, repeat } from '../../lib/clock.ts';
import type { KeptText } from '../../lib/kept-text.ts';
import type { Log } from '../../lib/log.ts';
import type { Outgoing } from '../../lib/outgoing.ts';
import type { Secret } from '../../lib/secret.ts';
import { type Problem, topicOf } from '../status/problem.ts';
import { alertUrlOf, chatText, messageOf, sendMessage, withoutDomains } from './webhook.ts';

const LOOK_EVERY_MS = 10_000;

/** Changes within this time share one message. A message that didn't arrive is sent again after this time. */
const TOGETHER_MS = 60_000;

/** A problem that ended less than this long ago doesn't send again. */
const QUIET_MS = 600_000;

/** How long a problem must last before it becomes an alert, in ms, by code. Other problems never become alerts. */
const ALERT_AFTER_MS: Readonly<Record<string, number>> = {
  upstream_auth: 0,
  key_file_refused: 0,
  key_ends: 0,
  source_broken: 0,
  source_overdue: 0,
  upstream_unavailable: 600_000,
  upstream_rate_limited: 600_000,
};

/** The alerts that were sent, by topic. `overAtMs`: when the message that it is over was sent. */
const sentSchema = z.record(
  z.string(),
  z.object({ stage: z.string(), headline: z.string(), overAtMs: z.number().optional() }),
);

export interface AlertsParts {
  readonly config: Pick<Config, 'publicUrl' | 'alertUrl' | 'alertUrlFile'>;
  readonly log: Log;
  readonly clock: Clock;
  /** Keeps which alerts were sent. */
  readonly text: KeptText;
  readonly problems: () => readonly (Problem & { readonly stage?: string })[];
  readonly outgoing: Outgoing;
}

/** Opens the alerts. Rejects with a `ConfigError` if the URL of the webhook can't be read. */
export async function openAlerts(parts: AlertsParts): Promise<Alerts> {
  return new Alerts(parts, await alertUrlOf(parts.config));
}

/** Reports to a webhook when a problem begins, gets worse, and is over. */
export class Alerts {
  readonly #parts: AlertsParts;
  readonly #url: Secret | undefined;
  /** When each current problem was first seen. */
  #since = new Map<string, number>();
  #sent: z.infer<typeof sentSchema> = {};
  /** When the oldest unsent change was found. */
  #changedSince: number | undefined;
  #failure: string | null = null;
  #arrived = 0;
  #stop: () => void = () => {};

  constructor(parts: AlertsParts, url: Secret | undefined) {
    this.#parts = parts;
    this.#url = url;
  }

  async start(): Promise<void> {
    const url = this.#url;
    if (url === undefined) return;
    this.#stop = repeat(this.#parts.clock, LOOK_EVERY_MS, () => this.#look(url));
    await this.#look(url);
  }

  close(): void {
    this.#stop();
  }

  /** The webhook's host (null if none is configured), how many messages arrived, and why the last one didn't. */
  status(): { readonly host: string | null; readonly sent: number; readonly failure: string | null } {
    const host = this.#url === undefined ? null : new URL(this.#url.reveal()).host;
    return { host, sent: this.#arrived, failure: this.#failure };
  }

  async #look(url: Secret): Promise<void> {
    const { problems, clock, config } = this.#parts;
    const isSender = await this.#load();
    const [now, found] = [clock.now(), problems()];
    this.#since = new Map(found.map(topicOf).map((topic) => [topic, this.#since.get(topic) ?? now]));
    const begun = found.filter((problem) => this.#isNews(problem));
    const over = Object.entries(this.#sent).filter(
      ([topic, { overAtMs }]) => overAtMs === undefined && !this.#since.has(topic),
    );
    if (!isSender || begun.length + over.length === 0) return void (this.#changedSince = undefined);
    this.#changedSince ??= now;
    if (now < this.#changedSince + TOGETHER_MS) return;
    this.#changedSince = now;
    const lines = begun.map((problem) => `${headlineOf(problem)} ${problem.advice}`);
    const text = messageOf([...lines, ...over.map(([, { headline }]) => `Over: ${headline}`)], config.publicUrl);
    if (!this.#hasArrived(await sendMessage(url, text, this.#parts.outgoing))) return;
    this.#changedSince = undefined;
    await this.#keep(
      begun,
      over.map(([topic]) => topic),
    );
  }

  /** Whether a problem has lasted long enough, and wasn't sent at its stage. */
  #isNews(problem: ReturnType<AlertsParts['problems']>[number]): boolean {
    const { clock } = this.#parts;
    const topic = topicOf(problem);
    const lastsMs = clock.now() - (this.#since.get(topic) ?? Infinity);
    if (lastsMs < (ALERT_AFTER_MS[problem.code] ?? Infinity)) return false;
    const { stage, overAtMs } = this.#sent[topic] ?? {};
    return overAtMs === undefined ? stage !== (problem.stage ?? '') : clock.wallNow() - overAtMs >= QUIET_MS;
  }

  #hasArrived(failure: string | undefined): boolean {
    if (failure === undefined) this.#arrived += 1;
    else if (this.#failure === null)
      this.#parts.log.warn(
        `Can’t send an alert to ${this.status().host} (PULSE_ALERT_URL): ${failure}; it will be sent again`,
      );
    this.#failure = failure ?? null;
    return failure === undefined;
  }

  /** Loads what was sent. Returns whether this instance sends. While the storage can't be reached, the last record counts. */
  async #load(): Promise<boolean> {
    const { text } = this.#parts;
    try {
      const isSender = await text.claim();
      const { sent } = JSON.parse((await text.load()) ?? '{}') as { readonly sent?: unknown };
      this.#sent = sentSchema.safeParse(sent).data ?? {};
      return isSender;
    } catch {
      return true;
    }
  }

  async #keep(begun: ReturnType<AlertsParts['problems']>, over: readonly string[]): Promise<void> {
    const { clock, text, log } = this.#parts;
    const nowMs = clock.wallNow();
    const recent = Object.entries(this.#sent).filter(([, { overAtMs = nowMs }]) => nowMs - overAtMs < QUIET_MS);
    const ended = recent.map(
      ([topic, alert]) => [topic, over.includes(topic) ? { ...alert, overAtMs: nowMs } : alert] as const,
    );
    const sent = begun.map(
      (problem) => [topicOf(problem), { stage: problem.stage ?? '', headline: headlineOf(problem) }] as const,
    );
    this.#sent = Object.fromEntries([...ended, ...sent]);
    await text
      .save(JSON.stringify({ version: 2, sent: this.#sent }))
      .catch(() => log.warn('Can’t keep which alerts were sent: they may be sent twice'));
  }
}

function headlineOf({ headline, sourceId }: Problem): string {
  return sourceId === undefined ? withoutDomains(headline) : chatText(headline);
}
