import type { Announcement } from '../../a11y/live-region.ts';
import type { Pulse } from '../../data/pulse.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import type { CardMessages } from '../../i18n/messages.ts';
import { plainText } from '../../markdown/inline.ts';

/** The languages and the reviewer of an announcement. */
export interface UpdateFacts {
  readonly messages: CardMessages;
  /** The language of the page. */
  readonly language: string;
  /** The language of the texts. */
  readonly lang: string;
  /** The reviewer of the texts, or an empty string. */
  readonly reviewer: string;
}

/**
 * The announcement of a new pulse: the name, the AI label, and the finding, each in its own language. Without a
 * finding, the announcement only says that the chart was updated.
 */
export function updateAnnouncement(
  { sourceId, sourceName, aiSummaryShort }: Pulse,
  { messages, language, lang, reviewer }: UpdateFacts,
): Announcement {
  const { lang: spoken, chartsUpdated } = messages;
  const name = { text: sourceName ? `${sourceName},` : '', lang: language };
  const note = {
    text: aiSummaryShort ? `${aiNote(messages, reviewer)}:` : chartsUpdated.replace('{count}', '1'),
    lang: spoken,
  };
  const finding = { text: plainText(aiSummaryShort ?? ''), lang };
  return {
    key: sourceId,
    texts: [name, note, finding].filter(({ text }) => text),
    ofSeveral: { text: chartsUpdated, lang: spoken },
  };
}
