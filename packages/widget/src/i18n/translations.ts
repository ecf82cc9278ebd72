import { updateAll } from '../controllers/page.ts';
import { VERSION } from '../version.ts';
import { ENGLISH, type Messages } from './messages.ts';

/** The languages beside English; the messages of each are a file beside the script. */
export const TRANSLATED = 'ar de es fr he hi it ja ko nl pl pt tr uk zh zh-Hant';

const translations = new Map([['en', ENGLISH]]);
const requests = new Map<string, Promise<unknown>>();

/** The language of `element` as a BCP 47 tag: the nearest `lang`, across shadow roots, else the reader's own. */
export function languageOf(element: Element): string {
  const owner = element.closest<HTMLElement>('[lang]');
  const { host } = element.getRootNode() as ShadowRoot;
  if (!owner && host) return languageOf(host);
  try {
    return Intl.getCanonicalLocales(owner?.lang || navigator.language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** The messages for `language` as far as they are known: its own, else its base language's, else English. */
export function messagesFor(language: string): Messages {
  return translations.get(language) ?? translations.get(fileTagOf(language)) ?? ENGLISH;
}

/** Adds a language for all elements of the page, or replaces messages of one; those left out stay as they are. */
export function registerTranslation(language: string, messages: Partial<Messages>): void {
  translations.set(language, { ...messagesFor(language), lang: language, ...messages });
  updateAll();
}

/**
 * Loads the messages for `language` from the BFF, once a page; English is shown until they are there. Resolves also where
 * there are none.
 */
export function loadTranslation(baseUrl: string, language: string): Promise<unknown> {
  const tag = fileTagOf(language);
  const isKnown = translations.has(language) || translations.has(tag) || !TRANSLATED.split(' ').includes(tag);
  const request = requests.get(tag) ?? (isKnown ? Promise.resolve() : fetchTranslation(baseUrl, tag));
  requests.set(tag, request);
  return request;
}

async function fetchTranslation(baseUrl: string, tag: string): Promise<void> {
  try {
    const response = await fetch(`${baseUrl}/pulse-card-lang/${tag}-${VERSION}.json`);
    registerTranslation(tag, (await response.json()) as Partial<Messages>);
  } catch {
    // English it is.
  }
}

/** The tag of the file for `language`: its base language, with the script for Traditional Chinese. */
export function fileTagOf(language: string): string {
  const { language: base, script } = new Intl.Locale(language).maximize();
  return base === 'zh' && script === 'Hant' ? 'zh-Hant' : base;
}
