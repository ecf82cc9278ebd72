import { PulseCard } from '@pulse-card/widget/elements';
import type { PulseAnswer } from '../pulse-answers.ts';
import { connectToHost, type HostContext, reportHeight, type ToolResult } from './host.ts';

/** The version of this package. The build writes it. */
declare const VERSION: string;
/** The card's messages in each language except English. The build writes them. */
declare const TRANSLATIONS: Readonly<Record<string, { readonly earlierVersion: string }>>;

let context: HostContext = {};
let shown: ToolResult | undefined;

customElements.define('pulse-card', PulseCard);
reportHeight(document.body);
connectToHost(VERSION, {
  onContext(changes) {
    context = { ...context, ...changes };
    render();
  },
  onToolResult(result) {
    shown = result;
    render();
  },
});

function render(): void {
  const { theme, styles } = context;
  const locale = localeOf(context);
  const root = document.documentElement;
  root.lang = locale;
  root.dir = /^(ar|he)\b/.test(locale) ? 'rtl' : 'ltr';
  root.style.colorScheme = theme ?? 'light dark';
  document.body.style.fontFamily = styles?.variables?.['--font-sans'] ?? '';
  if (shown) document.body.replaceChildren(contentOf(shown, locale));
}

/** The card of a pulse, or the words of an error. */
function contentOf({ isError, structuredContent, content = [] }: ToolResult, locale: string): Node {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  if (isError || !structuredContent) return document.createTextNode(text);
  const image = content.find(({ type }) => type === 'image')?.data;
  return cardOf(structuredContent as PulseAnswer, image, locale);
}

/** A card that has everything, so that it requests nothing. */
function cardOf(answer: PulseAnswer, image: string | undefined, locale: string): PulseCard {
  const card = new PulseCard();
  const messages = messagesOf(locale);
  card.theme = context.theme ?? 'auto';
  card.pulse = {
    jobRunId: answer.runId,
    sourceId: answer.sourceId,
    sourceName: answer.name,
    status: 'SUCCESS',
    completedAt: answer.completedAt,
    imageUrl: image ? `data:image/png;base64,${image}` : null,
    aiSummaryShort: answer.finding,
    aiSummaryLong: answer.analysis,
  };
  // A server writes messages in this form. The card then doesn't request them.
  const data = JSON.stringify({ translation: { language: locale, messages } });
  const script = Object.assign(document.createElement('script'), { type: 'application/json', textContent: data });
  script.dataset['id'] = answer.sourceId;
  card.append(script);
  const note = messages?.earlierVersion ?? 'Earlier version';
  if (answer.stale) card.append(Object.assign(document.createElement('span'), { slot: 'footer', textContent: note }));
  return card;
}

/** The language of the host as a BCP 47 tag; some hosts write `en_US`. */
function localeOf({ locale }: HostContext): string {
  try {
    return new Intl.Locale(locale?.replaceAll('_', '-') ?? '').toString();
  } catch {
    return navigator.language;
  }
}

function messagesOf(locale: string): { readonly earlierVersion: string } | undefined {
  const { language, script } = new Intl.Locale(locale).maximize();
  return TRANSLATIONS[language === 'zh' && script === 'Hant' ? 'zh-Hant' : language];
}
