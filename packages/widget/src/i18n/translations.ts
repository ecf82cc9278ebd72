import { languageTag } from '@pulse-card/contract/language-tag';
import { absoluteUrl } from '../base-url.ts';
import { updateAll } from '../controllers/page.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';
import { Lazy } from '../lazy/lazy.ts';
import { VERSION } from '../version.ts';
import { type CardMessages, ENGLISH, type Messages } from './messages.ts';

/** The languages other than English. Each language's messages are in a file next to the script. */
export const TRANSLATED = 'ar de es fr he hi it ja ko nl pl pt tr uk zh zh-Hant';

/** The timeout for loading a file, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** How long to wait before requesting a language again after a failure, in milliseconds. */
const RETRY_AFTER_MS = 60_000;

/** The files, keyed by the BFF's URL and the file's language tag. One BFF can't change another's messages. */
const files = new Map<string, Lazy<Partial<Messages>>>();
/** Messages from the page, keyed by language. They take precedence. */
const registered = new Map<string, Partial<Messages>>();

/**
 * The language of `element` as a BCP 47 tag, from the nearest `lang` attribute, even outside of shadow roots. If there
 * is none, this is the browser's language.
 */
export function languageOf(element: Element): string {
  const owner = element.closest<HTMLElement>('[lang]');
  const { host } = element.getRootNode() as ShadowRoot;
  if (!owner && host) return languageOf(host);
  return languageTag(owner?.lang || navigator.language) ?? 'en';
}

/**
 * The known messages for `language` on a card from the BFF at `baseUrl`. `own` are the messages of the card itself.
 * Missing messages come from the base language, or else from English.
 */
export function messagesFor(baseUrl: string, language: string, own?: Partial<Messages>): CardMessages {
  const tag = fileTagOf(language);
  const messages = own ?? files.get(keyOf(baseUrl, tag))?.value;
  return { ...ENGLISH, ...messages, ...registered.get(tag), ...registered.get(language) };
}

function keyOf(baseUrl: string, tag: string): string {
  return `${absoluteUrl(baseUrl)} ${tag}`;
}

/**
 * Adds a language for all elements on the page, or replaces the messages for a language that the elements already have.
 * Omitted messages don't change.
 */
export function registerTranslation(language: string, messages: Partial<Messages>): void {
  const tag = languageTag(language);
  if (!tag) return warnOnce(`registerTranslation(): ${JSON.stringify(language)} is not a language tag`);
  registered.set(tag, { ...registered.get(tag), lang: tag, ...messages });
  updateAll();
}

/** Messages from an untrusted source, without values that aren't text; undefined if they don't specify their language. */
export function readMessages(json: unknown): Partial<Messages> | undefined {
  const entries = Object.entries(Object(json) as object).filter(([, text]) => typeof text === 'string');
  const messages: Partial<Messages> = Object.fromEntries(entries);
  return messages.lang ? messages : undefined;
}

/**
 * Loads the messages for `language` from the BFF. Elements use English until the messages have loaded. Always resolves.
 */
export async function loadTranslation(baseUrl: string, language: string): Promise<void> {
  const tag = fileTagOf(language);
  if (!TRANSLATED.split(' ').includes(tag)) return;
  const key = keyOf(baseUrl, tag);
  const file = files.get(key) ?? new Lazy(() => fetchTranslation(baseUrl, tag), updateAll);
  files.set(key, file);
  await file.load(RETRY_AFTER_MS);
}

/** Rejects if the file can't be loaded or isn't a translation. */
async function fetchTranslation(baseUrl: string, tag: string): Promise<Partial<Messages>> {
  const response = await fetch(`${baseUrl}/pulse-card-lang/${tag}-${VERSION}.json`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const messages = response.status === 200 && readMessages(await response.json());
  if (messages) return messages;
  throw new Error('no translation');
}

/** The language tag of the file for `language`: its base language, or `zh-Hant` for Traditional Chinese. */
export function fileTagOf(language: string): string {
  const { language: base, script } = new Intl.Locale(language).maximize();
  return base === 'zh' && script === 'Hant' ? 'zh-Hant' : base;
}
