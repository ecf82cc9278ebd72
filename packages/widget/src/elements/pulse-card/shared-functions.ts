import { cleanText } from '../../data/sanitize.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { plainText } from '../../markdown/markdown.ts';

/** Functions of the script that the further file uses too, so that it needs no copies. */
export interface SharedFunctions {
  readonly aiNote: typeof aiNote;
  readonly cleanText: typeof cleanText;
  readonly plainText: typeof plainText;
  readonly providerName: typeof providerName;
}

/** The functions, for the further file. */
export const SHARED: SharedFunctions = { aiNote, cleanText, plainText, providerName };
