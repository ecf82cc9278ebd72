import type { Messages } from '../i18n/messages.ts';
import { readMessages } from '../i18n/translations.ts';
import { parseBatch } from './parse-pulse.ts';
import type { Result } from './result.ts';

/** A card requests newer data if its embedded data is older than this. */
const MAX_AGE_MS = 60_000;

/**
 * The response for `sourceId` that a server has written into `card`; undefined if there is none or it can't be read.
 */
export function embeddedData(card: Element, sourceId: string): Result | undefined {
  const result = parseBatch({ pulses: [entryIn(card)] }, sourceId);
  return result.ok || result.code !== 'invalid_answer' ? result : undefined;
}

/** Whether an embedded response is so old that the card should request a newer one. */
export function isOutdated(result: Result): boolean {
  return result.ok && !(Date.now() - (result.requestedAt ?? 0) < MAX_AGE_MS);
}

/** The translation that a server has written into `card`. It applies only to this card. */
export function embeddedTranslation(card: Element): Partial<Messages> | undefined {
  const { messages } = Object(entryIn(card).translation) as { messages?: unknown };
  return readMessages(messages);
}

/** Whether `node` contains the data or the shadow root that a server has written into a card. */
export function isServerData(node: Node): boolean {
  return (node as Partial<Element>).matches?.('script[data-id],template[shadowrootmode]') ?? false;
}

/** The element with the data that a server has written into `card`. */
export function dataScriptIn(card: Element): Element | null {
  return card.querySelector(':scope > script[data-id]');
}

function entryIn(card: Element): { readonly translation?: unknown } {
  try {
    return Object(JSON.parse(dataScriptIn(card)?.textContent as string));
  } catch {
    return {};
  }
}
