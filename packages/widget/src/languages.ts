import { VERSION } from './version.ts';
import { ENGLISH, type Words } from './words.ts';

/** Languages whose words lie beside the script, one small file each. */
export const FILED_LANGUAGES = 'de fr es pt it nl pl uk ja zh ko ar he hi tr';

/** Told to the window when there are words that were not there before. */
export const NEW_WORDS = 'pulse-words';

const known = new Map([['en', ENGLISH]]);

/** The language that `element` stands in: the nearest `lang`, across shadow roots, else the reader's own. */
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

/** The words for `language` as far as they are here: its own, its base language's, or English. */
export function wordsFor(language: string): Words {
  return known.get(language) ?? known.get(baseOf(language)) ?? ENGLISH;
}

/** Gives the words of a language; those left out stay as they were. */
export function setWords(language: string, words: Partial<Words>): void {
  known.set(language, { ...wordsFor(language), ...words });
  dispatchEvent(new Event(NEW_WORDS));
}

/** Fetches the words of `language` from the BFF at `base`, once a page. */
export function fetchWords(base: string, language: string): void {
  const tag = baseOf(language);
  if (known.has(language) || known.has(tag) || !FILED_LANGUAGES.includes(tag)) return;
  // English until they come, and where they never do: what an error says is no word of ours.
  known.set(tag, ENGLISH);
  fetch(`${base}/pulse-card-lang/${tag}-${VERSION}.json`)
    .then((response) => response.json() as Promise<Partial<Words>>)
    .then((words) => setWords(tag, words))
    .catch(() => undefined);
}

function baseOf(language: string): string {
  return language.split('-')[0] ?? '';
}
