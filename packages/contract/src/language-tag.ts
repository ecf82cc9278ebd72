// This module has no dependencies, so that the card can contain it.

/**
 * Matches a language with its region as BCP 47 and POSIX write it: `de-DE`, `de_DE.UTF-8`, `fr_FR@euro`. Not `C`,
 * `POSIX`, or names of languages.
 */
const LOCALE = /^\s*([a-z]{2,3}(?=[-_.@\s]|$)[\w-]{0,60})(?:[.@][\w.@-]*)?\s*$/i;

/** The BCP 47 tag for `locale` in its usual form, such as `pt-BR` for `pt_br` and `he` for `iw`; undefined if it isn't a locale. */
export function languageTag(locale: unknown): string | undefined {
  const [, name = ''] = LOCALE.exec(String(locale)) ?? [];
  try {
    return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}
