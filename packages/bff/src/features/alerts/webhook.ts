import { ConfigError } from '../../config/config.ts';
import { readSecretLine } from '../../config/secret-file.ts';
import type { Secret } from '../../lib/secret.ts';
import { type AlertSettings, webhookUrl } from './variables.ts';

/** How long a webhook may take to answer, in ms. */
const TIMEOUT_MS = 5_000;

/** The maximum number of lines in a message. Further lines are only counted. */
const MAX_LINES = 10;

/** The result of sending a message. `failure` is a string for the status page. */
export type SendOutcome = { readonly ok: true } | { readonly ok: false; readonly failure: string };

/** A webhook that accepts `{ "text": "…" }`. */
export interface Webhook {
  /** The host of the address. The rest of the address is a secret. */
  readonly host: string;
  /** Sends one message. Never rejects. */
  send(text: string): Promise<SendOutcome>;
}

/** Opens the configured webhook. Throws `ConfigError` if the file that should contain the address has none. */
export async function openWebhook({
  PULSE_ALERT_URL: url,
  PULSE_ALERT_URL_FILE: file,
}: Omit<AlertSettings, 'PULSE_API_KEY_EXPIRES'>): Promise<Webhook | undefined> {
  if (file === undefined) return url && webhookAt(url);
  const read = webhookUrl.safeParse(await readSecretLine('PULSE_ALERT_URL_FILE', file));
  if (read.success) return webhookAt(read.data);
  throw new ConfigError([`PULSE_ALERT_URL_FILE: its line ${read.error.issues[0]?.message}`]);
}

/** The webhook at `url`. Redirects aren't followed, because the address is a secret. */
export function webhookAt(url: Secret, { timeoutMs = TIMEOUT_MS } = {}): Webhook {
  return {
    host: new URL(url.reveal()).host,
    async send(text) {
      try {
        const response = await fetch(url.reveal(), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ text }),
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        });
        await response.body?.cancel();
        return response.ok ? { ok: true } : { ok: false, failure: `it returned ${response.status}` };
      } catch (cause) {
        return { ok: false, failure: failureOf(cause) };
      }
    },
  };
}

/** Only the code of a `fetch()` error is reported, because the error's cause contains the address. */
function failureOf(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'it did not answer in time';
  const reason = cause instanceof Error ? cause.cause : undefined;
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined;
  return code === undefined ? 'it could not be reached' : `it could not be reached (${code})`;
}

/** A message for a chat. `origin` names the BFF. */
export function messageOf(lines: readonly string[], origin: string): string {
  const displayed = lines.slice(0, MAX_LINES);
  const rest = lines.length - displayed.length;
  const more = rest === 0 ? [] : [`And ${rest} more: see the status page.`];
  return [`Pulse Card at ${origin}`, ...[...displayed, ...more].map((line) => `• ${line}`)].join('\n');
}

/**
 * Makes text that contains third-party names safe for a chat app: returns one line without mentions, links, or markup.
 * Slack interprets `&`, `<` and `>`. Mattermost and Teams interpret Markdown and `@channel`.
 */
export function chatText(text: string): string {
  const line = text
    .replaceAll(/[\p{Z}\s]+/gu, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim();
  const escaped = line.replaceAll(/[&<>]/g, (letter) => ENTITIES[letter] ?? '');
  return withoutDomains(escaped.replaceAll(/[@#[\]()*_~`|\\:!]/g, `$&${SPLIT}`));
}

/** Alters domain names in a string, so that chat apps don't turn them into links. */
export function withoutDomains(text: string): string {
  return text.replaceAll(/\.(?=[\p{L}\p{N}])/gu, `.${SPLIT}`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A zero-width space, which keeps markup from taking effect. */
const SPLIT = '\u200B';
