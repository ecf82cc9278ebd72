import { cleanText } from '@pulse-card/contract/text';
import { announce } from '../../a11y/announcer.ts';
import { warnOnce } from '../../diagnostics/warn-once.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { plainText } from '../../markdown/inline.ts';
import { findingTemplate, keepUnits } from '../../markdown/inline-template.ts';
import { dispatch } from '../events.ts';
import { nameOf } from './card-view.ts';
import { dateTemplate } from './footer-template.ts';
import { noteTemplate } from './header-template.ts';

/** Functions of the main script that its second file also uses, so that the second file doesn't need copies. */
export interface SharedFunctions {
  readonly aiNote: typeof aiNote;
  readonly announce: typeof announce;
  readonly cleanText: typeof cleanText;
  readonly dateTemplate: typeof dateTemplate;
  readonly dispatch: typeof dispatch;
  readonly findingTemplate: typeof findingTemplate;
  readonly keepUnits: typeof keepUnits;
  readonly nameOf: typeof nameOf;
  readonly noteTemplate: typeof noteTemplate;
  readonly plainText: typeof plainText;
  readonly providerName: typeof providerName;
  readonly warnOnce: typeof warnOnce;
}

/** The functions in the main script that the second file uses. */
export const SHARED: SharedFunctions = {
  aiNote,
  announce,
  cleanText,
  dateTemplate,
  dispatch,
  findingTemplate,
  keepUnits,
  nameOf,
  noteTemplate,
  plainText,
  providerName,
  warnOnce,
};
