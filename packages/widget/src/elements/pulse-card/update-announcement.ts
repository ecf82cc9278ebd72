import type { Announcement } from '../../a11y/live-region.ts';
import type { Pulse } from '../../data/pulse.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { plainText } from '../../markdown/inline.ts';
import type { CardView } from './card-view.ts';

/**
 * The announcement of a new pulse: the name, the AI label, and the finding, each in its own language. Without a
 * finding, the announcement only reports that the chart was updated.
 */
export function updateAnnouncement(
  { messages, language, summaryLang, aiReviewedBy }: CardView,
  { sourceId, sourceName, aiSummaryShort }: Pulse,
): Announcement {
  const { lang, chartsUpdated } = messages;
  const name = { text: sourceName ? `${sourceName},` : '', lang: language };
  const note = {
    text: aiSummaryShort ? `${aiNote(messages, aiReviewedBy)}:` : chartsUpdated.replace('{count}', '1'),
    lang,
  };
  const finding = { text: plainText(aiSummaryShort ?? ''), lang: summaryLang || language };
  return {
    key: sourceId,
    texts: [name, note, finding].filter(({ text }) => text),
    ofSeveral: { text: chartsUpdated, lang },
  };
}
