import { z } from 'zod';
import { type Base, type Config, readSecret } from '../../config.ts';
import { codeOf, type Outgoing } from '../../lib/outgoing.ts';
import { type Problem, topicOf as ownTopicOf } from '../../lib/problem.ts';
import type { Secret } from '../../lib/secret.ts';
import { type StoredText, valueIn } from '../../lib/stored-text.ts';

/** Changes within this time share one message. It is also the wait before a message that wasn't delivered is sent again. */
const TOGETHER_MS = 60_000;

/** A problem that recurs within this time doesn't trigger another message. */
const QUIET_MS = 600_000;

/**
 * Problems that trigger alerts immediately, and those that do if they last this long. Other problems never trigger
 * alerts.
 */
const AT_ONCE = ['upstream_auth', 'key_file_refused', 'key_ends', 'source_broken', 'source_overdue'];
const LATER = { codes: ['upstream_unavailable', 'upstream_rate_limited'], afterMs: 600_000 };

/** Identifies a problem. If a service that is down returns different errors in turn, they are still one problem. */
function topicOf(problem: Problem): string {
  return LATER.codes.includes(problem.code) ? 'upstream_unavailable' : ownTopicOf(problem);
}

/** How long the webhook may take to respond, in ms. */
const TIMEOUT_MS = 5_000;

/** The maximum number of problems in a message. Additional ones are only counted. */
const MAX_LINES = 10;

/** The alerts that were sent, by topic. `overAtMs`: when the message about the resolution was sent. */
const alertSchema = z.object({ stage: z.string(), headline: z.string(), overAtMs: z.number().optional() });
const recordSchema = z.object({ sent: z.record(z.string(), alertSchema) });

export interface AlertsParts extends Base {
  /** Records which alerts were sent. */
  readonly text: StoredText;
  readonly outgoing: Outgoing;
}

/** Opens the alerts. Rejects with a `ConfigError` if the webhook URL can't be read. */
export async function openAlerts(parts: AlertsParts): Promise<Alerts> {
  return new Alerts(parts, await alertUrlOf(parts.config));
}

/** Reports to a webhook when a problem begins, gets worse, or is resolved. */
export class Alerts {
  readonly #parts: AlertsParts;
  readonly #url: Secret | undefined;
  /** When each current problem was first seen. */
  #since = new Map<string, number>();
  #sent: z.infer<typeof recordSchema>['sent'] = {};
  /** When the oldest unsent change was detected. */
  #changedSince: number | undefined;
  #failure: string | null = null;
  #arrived = 0;

  constructor(parts: AlertsParts, url: Secret | undefined) {
    this.#parts = parts;
    this.#url = url;
  }

  /** The webhook's host (null if none is configured), how many messages arrived, and why the last one didn't. */
  status(): { readonly host: string | null; readonly sent: number; readonly failure: string | null } {
    const host = this.#url === undefined ? null : new URL(this.#url.reveal()).host;
    return { host, sent: this.#arrived, failure: this.#failure };
  }

  /**
   * Compares the current problems with what was sent. `hasAnswered`: whether the service has responded since startup.
   * Until then, it isn't known whether problems are resolved.
   */
  async look(found: readonly Problem[], { hasAnswered }: { readonly hasAnswered: boolean }): Promise<void> {
    if (this.#url === undefined) return;
    const isSender = await this.#load();
    const now = this.#parts.clock.now();
    this.#since = new Map(found.map(topicOf).map((topic) => [topic, this.#since.get(topic) ?? now]));
    const begun = found.filter((problem) => this.#isNews(problem));
    const isOver = (topic: string) => !this.#sent[topic]?.overAtMs && !this.#since.has(topic);
    const over = hasAnswered ? Object.keys(this.#sent).filter(isOver) : [];
    if (!isSender || begun.length + over.length === 0) return void (this.#changedSince = undefined);
    this.#changedSince ??= now;
    if (now < this.#changedSince + TOGETHER_MS) return;
    this.#changedSince = now;
    const lines = begun.map((problem) => `${headlineOf(problem)} ${problem.advice}`);
    if (!(await this.#hasArrived(lines.concat(over.map((topic) => `Over: ${this.#sent[topic]?.headline}`))))) return;
    this.#changedSince = undefined;
    await this.#keep(begun, over);
  }

  /** Returns whether this instance sends alerts. While the storage can't be reached, the last record is used. */
  async #load(): Promise<boolean> {
    const { text } = this.#parts;
    try {
      const isSender = await text.claim();
      this.#sent = valueIn(recordSchema, await text.load())?.sent ?? {};
      return isSender;
    } catch {
      return true;
    }
  }

  /** Whether a problem has lasted long enough and hasn't been reported yet at its current stage. */
  #isNews(problem: Problem): boolean {
    const { clock } = this.#parts;
    const { stage, overAtMs } = this.#sent[topicOf(problem)] ?? {};
    const lastsMs = clock.now() - (this.#since.get(topicOf(problem)) ?? Infinity);
    const isLasting = LATER.codes.includes(problem.code) && lastsMs >= LATER.afterMs;
    if (!AT_ONCE.includes(problem.code) && !isLasting) return false;
    return overAtMs === undefined ? stage !== (problem.stage ?? '') : clock.wallNow() - overAtMs >= QUIET_MS;
  }

  async #hasArrived(lines: readonly string[]): Promise<boolean> {
    const { config, outgoing, log } = this.#parts;
    const fault = this.#url && (await sendMessage(this.#url, messageOf(lines, config.publicUrl), outgoing));
    if (fault === undefined) this.#arrived += 1;
    else if (this.#failure === null)
      log.warn(`Can’t send an alert to ${this.status().host} (PULSE_ALERT_URL): ${fault}; it will be sent again`);
    this.#failure = fault ?? null;
    return fault === undefined;
  }

  async #keep(begun: readonly Problem[], over: readonly string[]): Promise<void> {
    const { clock, text, log } = this.#parts;
    const nowMs = clock.wallNow();
    const recent = Object.entries(this.#sent).filter(([, { overAtMs = nowMs }]) => nowMs - overAtMs < QUIET_MS);
    const ended = (topic: string) => over.includes(topic) && { overAtMs: nowMs };
    this.#sent = Object.fromEntries(recent.map(([topic, alert]) => [topic, { ...alert, ...ended(topic) }]));
    for (const each of begun) this.#sent[topicOf(each)] = { stage: each.stage ?? '', headline: headlineOf(each) };
    const onFault = () => log.warn('Can’t record which alerts were sent: some may be sent twice');
    await text.save(JSON.stringify({ sent: this.#sent })).catch(onFault);
  }
}

function headlineOf({ headline, sourceId }: Problem): string {
  return sourceId === undefined ? withoutDomains(headline) : chatText(headline);
}

/** The URL in `PULSE_ALERT_URL` or its file. Rejects with a `ConfigError` if the file doesn't contain a URL. */
export async function alertUrlOf({ alertUrl, alertUrlFile }: Pick<Config, 'alertUrl' | 'alertUrlFile'>) {
  return readSecret('PULSE_ALERT_URL', alertUrl, alertUrlFile);
}

/** Sends a message to a webhook. Resolves with the reason it didn't arrive, or undefined if it did. Never rejects. */
export async function sendMessage(url: Secret, text: string, outgoing: Outgoing): Promise<string | undefined> {
  try {
    const response = await outgoing.fetch(new URL(url.reveal()), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
      // A keep-alive connection may be closed by the time of the next message.
      usesNewConnection: true,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it returned ${response.status}`;
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'TimeoutError') return 'it didn’t respond in time';
    // An error's message may contain the URL.
    return `it can’t be reached (${codeOf(cause) || 'connection'})`;
  }
}

/** A chat message. `publicUrl` identifies the BFF. */
export function messageOf(lines: readonly string[], publicUrl: string): string {
  const more = lines.length > MAX_LINES ? [`And ${lines.length - MAX_LINES} more: see the status page.`] : [];
  return [`Pulse Card at ${publicUrl}`, ...[...lines.slice(0, MAX_LINES), ...more].map((line) => `• ${line}`)].join(
    '\n',
  );
}

/**
 * Sanitizes text that contains third-party names for a chat app: one line without mentions, links, or markup. Slack
 * interprets `&`, `<` and `>`. Mattermost and Teams interpret Markdown and `@channel`.
 */
export function chatText(text: string): string {
  const line = text.replaceAll(/[\p{Z}\p{C}\s]+/gu, ' ').trim();
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return withoutDomains(escaped.replaceAll(/[@#[\]()*_~`|\\:!]/g, '$&\u200B'));
}

/** Splits domain names with a zero-width space, so that chat apps don't turn them into links. */
export function withoutDomains(text: string): string {
  return text.replaceAll(/\.(?=[\p{L}\p{N}])/gu, '.\u200B');
}
