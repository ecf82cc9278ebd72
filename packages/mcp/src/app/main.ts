import { PulseCard } from '@pulse-card/widget/elements';
import type { PulseAnswer } from '../pulse-answers.ts';
import { connectToHost, type HostContext, reportHeight, type ToolResult } from './host.ts';
import { languageTag, messagesOf } from './languages.ts';

/** The version of this package. The build writes it. */
declare const VERSION: string;

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
  const { theme, locale, styles } = context;
  const root = document.documentElement;
  root.lang = languageTag(locale ?? navigator.language);
  root.dir = /^(ar|he)\b/.test(root.lang) ? 'rtl' : 'ltr';
  root.style.colorScheme = theme ?? 'light dark';
  document.body.style.fontFamily = styles?.variables?.['--font-sans'] ?? '';
  if (shown) document.body.replaceChildren(contentOf(shown, root.lang));
}

/** The card of a pulse, or the words of an error. */
function contentOf({ isError, structuredContent, content = [] }: ToolResult, language: string): Node {
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  if (isError || !structuredContent) return document.createTextNode(text);
  const image = content.find(({ type }) => type === 'image')?.data;
  return cardOf(structuredContent as PulseAnswer, image, language);
}

/** A card that has everything, so that it requests nothing. */
function cardOf(answer: PulseAnswer, image: string | undefined, language: string): PulseCard {
  const card = new PulseCard();
  const messages = messagesOf(language);
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
  // In the form in which a server renders messages: the card doesn't request them then.
  const script = Object.assign(document.createElement('script'), { type: 'application/json' });
  script.dataset['id'] = answer.sourceId;
  script.textContent = JSON.stringify({ translation: { language, messages } });
  card.append(script);
  if (answer.stale) card.append(noteOf(messages.earlierVersion));
  return card;
}

function noteOf(text: string): HTMLElement {
  return Object.assign(document.createElement('span'), { slot: 'footer', textContent: text });
}
