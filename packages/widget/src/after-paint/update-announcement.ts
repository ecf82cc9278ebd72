import type { Announcement } from '../a11y/live-region.ts';
import type { ShownView } from '../elements/pulse-card/shown-card.ts';

/**
 * The announcement for a new pulse: the name, the AI label, and the finding, each in its own language. Without a
 * finding, the announcement only reports that the chart was updated.
 */
export function updateAnnouncement({
  pulse,
  messages: { lang, chartsUpdated },
  language,
  summaryLang,
  aiLabel,
  readable,
}: ShownView): Announcement {
  const { sourceId, sourceName, aiSummaryShort } = pulse;
  const name = { text: sourceName ? `${sourceName},` : '', lang: language };
  const note = { text: aiLabel ? `${aiLabel}:` : chartsUpdated.replace('{count}', '1'), lang };
  const finding = { text: readable(aiSummaryShort), lang: summaryLang || language };
  return {
    key: sourceId,
    texts: [name, note, finding].filter(({ text }) => text),
    ofSeveral: { text: chartsUpdated, lang },
  };
}
