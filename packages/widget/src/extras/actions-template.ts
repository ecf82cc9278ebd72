import { html, nothing, type TemplateResult } from 'lit';
import type { ButtonAction } from '../elements/events.ts';
import { isSignedOut } from '../elements/pulse-card/card-view.ts';
import type { CardHost, ShownCard } from '../elements/pulse-card/shown-card.ts';
import { messagesOf, viewOf } from './action-card.ts';
import { prepareAction, pressAction } from './press-action.ts';
import { strokes } from './strokes.ts';

const PATHS: Readonly<Record<ButtonAction, string>> = {
  copy: 'M6 6h7v7H6zM4 10H3V3h7v1',
  save: 'M8 2v8m-3-3l3 3 3-3M3 13h10',
  share: 'M8 10V2m-3 3l3-3 3 3M5 8H3v6h10V8h-2',
};

/** The run that a card showed when one of its actions failed. */
const failedRuns = new WeakMap<CardHost, string | undefined>();

/** The action buttons. A narrow card shows these buttons in a menu. */
export function actionsTemplate(card: ShownCard): TemplateResult | undefined {
  const { host, shown } = card;
  const names = actionsIn(host.actions);
  if (!names[0] || !shown || isSignedOut(shown)) return undefined;
  const { messages, pulse } = viewOf(card);
  const failure = failedRuns.get(host) === pulse.jobRunId ? html`<small>${messages.pressFailed}</small>` : nothing;
  const button = (name: ButtonAction) =>
    html`<button value=${name} title=${messages[name]} aria-describedby="name">
      ${strokes(PATHS[name])}<span>${messages[name]}</span>
    </button>`;
  const onPress = ({ target }: Event): void => void press(target as Element, host);
  const onPressStart = ({ target }: Event): void => void prepareAction(target as Element, host._card).catch(() => {});
  // prettier-ignore
  return html`<div part="actions" lang=${messages.lang} @click=${onPress} @pointerdown=${onPressStart}>${failure}<button class="more" aria-label=${messages.actions} aria-describedby="name" aria-expanded="false">${strokes('M4 8h0m4 0h0m4 0h0')}</button><div>${names.map(button)}</div></div>`;
}

/** The actions in `actions` that are known and that the browser supports. Untyped pages can set any value. */
function actionsIn(actions: unknown): ButtonAction[] {
  const words = String(actions).split(/\s+/);
  const { clipboard } = navigator as Partial<Navigator>;
  return (['copy', 'save', 'share'] as const).filter(
    (action) => words.includes(action) && (action !== 'copy' || clipboard) && (action !== 'share' || canShare()),
  );
}

function canShare(): boolean {
  try {
    return navigator.canShare({ files: [new File([], 'chart.png', { type: 'image/png' })] });
  } catch {
    // The browser can't share, or the page isn't allowed to ask.
    return false;
  }
}

/** Runs the pressed button's action and tells the reader if it fails. */
async function press(target: Element, host: CardHost): Promise<void> {
  setFailedRun(host, undefined);
  try {
    await pressAction(target, host._card);
  } catch {
    setFailedRun(host, host.currentPulse?.jobRunId);
    const { announce, view } = host._card;
    const { pressFailed: text, lang } = messagesOf(view);
    void announce({ key: text, texts: [{ text, lang }] }, host);
  }
}

function setFailedRun(host: CardHost, run: string | undefined): void {
  failedRuns.set(host, run);
  host.requestUpdate();
}
