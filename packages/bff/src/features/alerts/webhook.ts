import { type Config, readUrlLine } from '../../config.ts';
import { codeOf, type Outgoing } from '../../lib/outgoing.ts';
import type { Secret } from '../../lib/secret.ts';
import { readSecretLine } from '../../lib/secret-file.ts';

const TIMEOUT_MS = 5_000;

/** The maximum number of problems in a message. Additional ones are only counted. */
const MAX_LINES = 10;

/** The URL in `PULSE_ALERT_URL` or its file. Rejects with a `ConfigError` if the file contains none. */
export async function alertUrlOf({ alertUrl, alertUrlFile }: Pick<Config, 'alertUrl' | 'alertUrlFile'>) {
  if (alertUrlFile === undefined) return alertUrl;
  return readUrlLine('PULSE_ALERT_URL_FILE', await readSecretLine('PULSE_ALERT_URL_FILE', alertUrlFile));
}

/** Sends a message to a webhook. Resolves with why it didn't arrive; undefined if it did. Never rejects. */
export async function sendMessage(url: Secret, text: string, outgoing: Outgoing): Promise<string | undefined> {
  try {
    const response = await outgoing.fetch(new URL(url.reveal()), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
      // A keep-alive connection may be closed by the time of the next message.
      isFresh: true,
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

/** A message for a chat. `publicUrl` identifies the BFF. */
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
