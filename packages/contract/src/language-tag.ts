// This module has no dependencies, so that the card can contain it.

/**
 * Matches a language, with or without a region, as written in BCP 47 and POSIX: `de-DE`, `de_DE.UTF-8`, `fr_FR@euro`.
 * The first language of a list such as `de_DE:en_US` counts. Not `C`, `POSIX`, or names of languages.
 */
const LOCALE = /^\s*(([a-z]{2,3})(?:[-_][\w-]{0,60})?)(?:[.@:;,/].*)?\s*$/i;

/**
 * The BCP 47 tag for `locale` in its usual form, such as `pt-BR` for `pt_br` and `he` for `iw`; undefined if it isn't a
 * locale. If only the language can be read, returns its tag.
 */
export function languageTag(locale: unknown): string | undefined {
  const [, ...names] = LOCALE.exec(String(locale)) ?? [];
  for (const name of names)
    try {
      return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0];
    } catch {
      // Tries the next name, which is shorter.
    }
  return undefined;
}
