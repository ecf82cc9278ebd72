/** The card's messages in each language except English. The build writes them. */
declare const TRANSLATIONS: Readonly<Record<string, ViewMessages>>;

/** The words that the view itself uses. The card's own words come with them. */
interface ViewMessages {
  readonly lang: string;
  readonly earlierVersion: string;
}

const ENGLISH: ViewMessages = { lang: 'en', earlierVersion: 'Earlier version' };

/** The canonical form of a language tag; `en` if it is none. */
export function languageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** The messages for a language: those of its base language, else English. */
export function messagesOf(language: string): ViewMessages {
  const { language: base, script } = new Intl.Locale(language).maximize();
  return TRANSLATIONS[base === 'zh' && script === 'Hant' ? 'zh-Hant' : base] ?? ENGLISH;
}
