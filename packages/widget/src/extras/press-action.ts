import { warnOnce } from '../diagnostics/warn-once.ts';
import { create } from '../dom.ts';
import type { ButtonAction } from '../elements/events.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';
import { textsOf, viewOf } from './action-card.ts';
import { closeMenu, toggleMenu } from './action-menu.ts';
import { copyText } from './copy-text.ts';
import { preparedPicture } from './prepared-picture.ts';

/** Prepares the action of `target`, a part of the card that is under the pointer or focused. */
export async function prepareAction(target: Element, card: ShownCard): Promise<void> {
  const needsPicture = target.closest('[part=actions]:has([value=save], [value=share])');
  if (needsPicture && !target.closest('[value=copy]')) await preparedPicture(card);
}

/** Runs the action for the button that contains `target`. Rejects if the action fails. */
export async function pressAction(target: Element, card: ShownCard): Promise<void> {
  const button = target.closest('button');
  if (!button) return;
  const menu = button.closest('[part=actions]')?.querySelector('.more') as HTMLButtonElement;
  if (button === menu) return toggleMenu(menu);
  closeMenu(menu);
  const action = button.value as ButtonAction;
  card.host._dispatch('pulse-action', { action });
  await DO[action](card, [button, menu]).catch((error: Error) => {
    warnOnce(`Can’t ${action} the card: ${error.message}`);
    throw error;
  });
}

const DO: Readonly<Record<ButtonAction, (card: ShownCard, buttons: readonly Element[]) => Promise<void>>> = {
  copy,
  save,
  share,
};

/** How long a button shows that its action is done. In a narrow card, only the menu's button is visible. */
const SHOWN_MS = 2_000;

async function copy(card: ShownCard, buttons: readonly Element[]): Promise<void> {
  await copyText(card);
  const { copied, lang } = viewOf(card).messages;
  const spoken = { text: copied, lang };
  void card.announce({ key: copied, texts: [spoken], ofSeveral: spoken }, card.host);
  for (const { classList } of buttons) {
    classList.add('done');
    setTimeout(() => classList.remove('done'), SHOWN_MS);
  }
}

/** How long the saved file stays in memory. Safari reads the file some time after the click. */
const KEPT_MS = 60_000;

/** Saves the card's image. If the image can't be created, opens the chart, which might still load. */
async function save(card: ShownCard): Promise<void> {
  const file = await fileOf(card).catch((error: Error) => {
    const { imageUrl } = viewOf(card).pulse;
    // After a timeout, the browser would block the new tab.
    if (!imageUrl || error.name === 'TimeoutError') throw error;
    open(imageUrl, '_blank', 'noopener');
  });
  if (!file) return;
  const href = URL.createObjectURL(file);
  const link = Object.assign(create('a'), { href, download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
}

async function share(card: ShownCard): Promise<void> {
  const files = [await fileOf(card)];
  await navigator.share({ files }).catch((error: Error) => {
    // This error means that the reader closed the system's share dialog.
    if (error.name !== 'AbortError') throw error;
  });
}

/**
 * The maximum length of a file name in characters. At this length, a name and its extension take up at most 255 bytes
 * in most scripts.
 */
const MAX_NAME = 60;

async function fileOf(card: ShownCard): Promise<File> {
  const picture = await preparedPicture(card);
  const name = textsOf(card).name.replaceAll(/[\p{Cc}\s\\/:*?"<>|]+/gu, ' ');
  const shortName = Array.from(name.trim()).slice(0, MAX_NAME).join('');
  return new File([picture], `${shortName || 'chart'}.png`, { type: 'image/png' });
}
