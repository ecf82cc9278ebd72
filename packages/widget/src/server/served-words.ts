import ar from '../lang/ar.json' with { type: 'json' };
import de from '../lang/de.json' with { type: 'json' };
import es from '../lang/es.json' with { type: 'json' };
import fr from '../lang/fr.json' with { type: 'json' };
import he from '../lang/he.json' with { type: 'json' };
import hi from '../lang/hi.json' with { type: 'json' };
import it from '../lang/it.json' with { type: 'json' };
import ja from '../lang/ja.json' with { type: 'json' };
import ko from '../lang/ko.json' with { type: 'json' };
import nl from '../lang/nl.json' with { type: 'json' };
import pl from '../lang/pl.json' with { type: 'json' };
import pt from '../lang/pt.json' with { type: 'json' };
import tr from '../lang/tr.json' with { type: 'json' };
import uk from '../lang/uk.json' with { type: 'json' };
import zh from '../lang/zh.json' with { type: 'json' };
import { ENGLISH, type Words } from '../words.ts';

const FILED: Readonly<Record<string, Partial<Words>>> = {
  ar,
  de,
  es,
  fr,
  he,
  hi,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  tr,
  uk,
  zh,
};

/** The languages whose words are known. */
export const LANGUAGES: readonly string[] = ['en', ...Object.keys(FILED)].sort();

/** The words of `language`, or of its base; English where neither is known. */
export function servedWords(language: string): Words {
  const base = language.split('-')[0] ?? '';
  return Object.hasOwn(FILED, base) ? { ...ENGLISH, ...FILED[base] } : ENGLISH;
}
