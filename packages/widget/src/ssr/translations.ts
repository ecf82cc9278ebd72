import { languageTag } from '@pulse-card/contract/language-tag';
import ar from '../i18n/lang/ar.json' with { type: 'json' };
import de from '../i18n/lang/de.json' with { type: 'json' };
import es from '../i18n/lang/es.json' with { type: 'json' };
import fr from '../i18n/lang/fr.json' with { type: 'json' };
import he from '../i18n/lang/he.json' with { type: 'json' };
import hi from '../i18n/lang/hi.json' with { type: 'json' };
import it from '../i18n/lang/it.json' with { type: 'json' };
import ja from '../i18n/lang/ja.json' with { type: 'json' };
import ko from '../i18n/lang/ko.json' with { type: 'json' };
import nl from '../i18n/lang/nl.json' with { type: 'json' };
import pl from '../i18n/lang/pl.json' with { type: 'json' };
import pt from '../i18n/lang/pt.json' with { type: 'json' };
import tr from '../i18n/lang/tr.json' with { type: 'json' };
import uk from '../i18n/lang/uk.json' with { type: 'json' };
import zhHant from '../i18n/lang/zh-Hant.json' with { type: 'json' };
import zh from '../i18n/lang/zh.json' with { type: 'json' };
import { type CardMessages, ENGLISH } from '../i18n/messages.ts';
import { fileTagOf } from '../i18n/translations.ts';

const TRANSLATIONS = new Map<string, CardMessages>(
  Object.entries({ en: ENGLISH, ar, de, es, fr, he, hi, it, ja, ko, nl, pl, pt, tr, uk, zh, 'zh-Hant': zhHant }),
);

/** The languages whose messages are known, as BCP 47 tags. */
export const LANGUAGES: readonly string[] = [...TRANSLATIONS.keys()];

/** The messages for `language`, a BCP 47 tag. Undefined if there are no messages. */
export function knownMessages(language: string): CardMessages | undefined {
  return TRANSLATIONS.get(fileTagOf(language));
}

/** The best match of `LANGUAGES` for `locale`, such as `pt` for `pt_BR.UTF-8`. Undefined if no language matches. */
export function matchLanguage(locale: string): string | undefined {
  const language = languageTag(locale);
  const tag = language && fileTagOf(language);
  return tag && TRANSLATIONS.has(tag) ? tag : undefined;
}
