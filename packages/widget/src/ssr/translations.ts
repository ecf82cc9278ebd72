import { languageTag } from '@pulse-card/contract/language-tag';
import { type CardMessages, ENGLISH } from '../i18n/messages.ts';
import { translationOf } from '../i18n/translation-of.ts';
import { fileTagOf, TRANSLATED } from '../i18n/translations.ts';

const TRANSLATIONS = new Map<string, CardMessages>([
  ['en', ENGLISH],
  ...TRANSLATED.split(' ').map((tag) => [tag, translationOf(tag)] as const),
]);

/** The available languages, as BCP 47 tags. */
export const LANGUAGES: readonly string[] = [...TRANSLATIONS.keys()];

/** The messages for `language`, a BCP 47 tag. Undefined if there are none. */
export function knownMessages(language: string): CardMessages | undefined {
  return TRANSLATIONS.get(fileTagOf(language));
}

/** The best match for `locale` in `LANGUAGES`, such as `pt` for `pt_BR.UTF-8`. Undefined if no language matches. */
export function matchLanguage(locale: string): string | undefined {
  const language = languageTag(locale);
  const tag = language && fileTagOf(language);
  return tag && TRANSLATIONS.has(tag) ? tag : undefined;
}
