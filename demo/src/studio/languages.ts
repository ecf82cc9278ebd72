/** The languages that a card supports. */
const CODES = [
  'en',
  'ar',
  'de',
  'es',
  'fr',
  'he',
  'hi',
  'it',
  'ja',
  'ko',
  'nl',
  'pl',
  'pt',
  'tr',
  'uk',
  'zh',
  'zh-Hant',
] as const;

const RIGHT_TO_LEFT = new Set<string>(['ar', 'he']);

/** The language codes, each with the language's own name. */
export const LANGUAGES: readonly { readonly value: string; readonly label: string }[] = CODES.map((code) => ({
  value: code,
  label: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
}));

/** The writing direction of a language. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}
