import { addMessages, isLanguage } from '../i18n/translations.ts';
import { parseBatch } from './parse-pulse.ts';
import type { Result } from './result.ts';

/** A page that was rendered longer ago than this is revalidated. */
const MAX_AGE_MS = 60_000;

/** The answer for `sourceId` that a server has written into `card`; undefined if there is none that can be read. */
export function embeddedData(card: Element, sourceId: string): Result | undefined {
  const result = parseBatch({ pulses: [entryIn(card)] }, sourceId);
  return result.ok || result.code !== 'invalid_answer' ? result : undefined;
}

/** Says whether an embedded answer is so old that the BFF should be asked for a newer one. */
export function isOutdated(result: Result): boolean {
  return result.ok && !(Date.now() - (result.requestedAt ?? 0) < MAX_AGE_MS);
}

/** Adds the messages that a server has written into `card`, where its language is not English. */
export function adoptTranslation(card: Element): void {
  const { language, messages } = Object(entryIn(card).translation) as { language?: unknown; messages?: unknown };
  if (isLanguage(language)) addMessages(language, messages);
}

/** Says whether `node` holds the data that a server has written into a card. */
export function isDataScript(node: Node): boolean {
  return node instanceof Element && node.matches('script[data-id]');
}

/** The element that holds the data that a server has written into `card`. */
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
