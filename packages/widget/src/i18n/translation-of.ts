import type { Messages } from './messages.ts';
import translations from './translations.json' with { type: 'json' };

/** The messages in a language other than English. Only builds and servers load all languages. */
export function translationOf(tag: string): Messages {
  const texts = Object.entries<Readonly<Record<string, string>>>(translations).map(([key, text]) => [key, text[tag]]);
  return { lang: tag, ...Object.fromEntries(texts) } as Messages;
}
