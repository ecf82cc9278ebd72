import { languageTag } from '@pulse-card/contract/language-tag';
import { PulseCard } from '@pulse-card/widget/elements';
import type { PulseAnswer } from '../answers.ts';
import { connectToHost, type HostContext, type ToolResult } from './host.ts';

/** The card's messages in each language except English. The build writes them. */
declare const TRANSLATIONS: Readonly<Record<string, Partial<Badges>>>;

/** The badges that the view adds itself. A card whose pulse is provided lacks the facts for these badges. */
type Badges = typeof ENGLISH;

const ENGLISH = { earlierVersion: 'Earlier version', overdue: 'Overdue' };

const root = document.documentElement;
let context: HostContext = {};
let shown: ToolResult | undefined;

customElements.define('pulse-card', PulseCard);
connectToHost(PulseCard.version, {
  onContext(changes) {
    context = { ...context, ...changes };
    const before = root.lang;
    applyContext(context);
    // Other changes, such as a new size, must not collapse an expanded analysis.
    if (shown && root.lang !== before) show(shown);
  },
  onToolResult(result) {
    shown = result;
    show(result);
  },
});

function applyContext({ theme, locale, styles }: HostContext): void {
  root.lang = languageTag(locale) ?? languageTag(navigator.language) ?? 'en';
  root.dir = /^(ar|he)\b/.test(root.lang) ? 'rtl' : 'ltr';
  root.style.colorScheme = theme ?? 'light dark';
  document.body.style.fontFamily = styles?.variables?.['--font-sans'] ?? '';
}

function show(result: ToolResult): void {
  document.body.replaceChildren(contentOf(result));
}

/** A pulse's card, or an error's text. */
function contentOf({ isError, structuredContent, content = [] }: ToolResult): Node {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  if (isError || !structuredContent) return document.createTextNode(text);
  const image = content.find(({ type }) => type === 'image')?.data;
  return cardOf(structuredContent as PulseAnswer, image);
}

/** A card that already has all its data, so it doesn't request anything. */
function cardOf(answer: PulseAnswer, image: string | undefined): PulseCard {
  const card = new PulseCard();
  const messages = messagesOf(root.lang);
  card.pulse = {
    jobRunId: answer.runId,
    sourceId: answer.sourceId,
    sourceName: answer.name,
    status: 'SUCCESS',
    completedAt: answer.completedAt,
    imageUrl: image ? `data:image/png;base64,${image}` : null,
    aiSummaryShort: answer.finding,
    aiSummaryLong: answer.analysis,
    ...(answer.withheld && { withheld: true as const }),
  };
  // Servers write messages into a page in this form, so that the card doesn't need to request them.
  const data = JSON.stringify({ translation: { language: root.lang, messages } });
  const script = Object.assign(document.createElement('script'), { type: 'application/json', textContent: data });
  script.dataset['id'] = answer.sourceId;
  card.append(script);
  const badge = answer.stale ? messages.earlierVersion : answer.overdueSince && messages.overdue;
  if (badge) card.append(Object.assign(document.createElement('span'), { slot: 'footer', textContent: badge }));
  return card;
}

function messagesOf(tag: string): Badges {
  const { language, script } = new Intl.Locale(tag).maximize();
  return { ...ENGLISH, ...TRANSLATIONS[language === 'zh' && script === 'Hant' ? 'zh-Hant' : language] };
}
