/** Languages that the preview can put around the card; the card falls back to English where it does not know one. */
const CODES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'uk', 'ja', 'zh', 'ko', 'ar', 'he', 'hi', 'tr'] as const;

const RIGHT_TO_LEFT = new Set<string>(['ar', 'he']);

/** Codes with the names of the languages in themselves. */
export const LANGUAGES: readonly (readonly [string, string])[] = CODES.map((code) => [code, nameOf(code)]);

/** The direction that a language is written in. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

function nameOf(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
}
