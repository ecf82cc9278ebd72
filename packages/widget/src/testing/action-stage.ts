import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, stageCard, StubBff, until } from './stage.ts';

/** A card on this page and its BFF. */
interface Stage {
  readonly sourceId?: string;
  readonly actions?: string;
  readonly bff?: StubBff;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Puts a card with actions on the page and waits for their buttons. */
export async function stageActions({
  sourceId = 'proxied-1',
  actions = 'copy save share',
  bff = new StubBff(),
  attributes = {},
}: Stage = {}) {
  const card = await until(await stageCard(bff, sourceId, { actions, loading: 'eager', ...attributes }), 'ready');
  await eventually(() => card.shadowRoot?.querySelector('[part=actions]'));
  return { bff, card };
}

/** A card's buttons, except for its menu button. */
export const buttonsOf = (card: PulseCard) => [
  ...(card.shadowRoot?.querySelectorAll<HTMLButtonElement>('[part=actions] button[value]') ?? []),
];

const restores: (() => void)[] = [];

/** Replaces a property of `target` until the end of the test. */
export function replace<Target extends object>(target: Target, name: keyof Target, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  restores.push(() => (before ? Object.defineProperty(target, name, before) : Reflect.deleteProperty(target, name)));
}

/** Records what is written to the clipboard from now on: the text of each type, for each item. */
export function watchClipboard(): Record<string, string>[] {
  const written: Record<string, string>[] = [];
  const write = async ([item]: ClipboardItem[]) => {
    const types = item?.types ?? [];
    const texts = types.map(async (type) => [type, await (await item?.getType(type))?.text()]);
    written.push(Object.fromEntries(await Promise.all(texts)) as Record<string, string>);
  };
  replace(navigator, 'clipboard', { write });
  return written;
}

/**
 * Records the data that is shared from now on. Replaces the browser's function, because not all browsers support
 * sharing.
 */
export function allowSharing(): ShareData[] {
  const shared: ShareData[] = [];
  replace(navigator, 'canShare', ({ files }: ShareData) => files?.[0]?.type === 'image/png');
  replace(navigator, 'share', (data: ShareData) => Promise.resolve(void shared.push(data)));
  return shared;
}

/** Records the URLs that are opened in new tabs from now on. */
export function watchWindows(): string[] {
  const opened: string[] = [];
  replace(globalThis, 'open', (url: string) => void opened.push(url));
  return opened;
}

/** Records the names of the files that are saved from now on. */
export function watchDownloads(): string[] {
  const saved: string[] = [];
  const click = Reflect.get<HTMLElement, 'click'>(HTMLElement.prototype, 'click');
  replace(HTMLElement.prototype, 'click', function (this: HTMLElement) {
    if (this instanceof HTMLAnchorElement && this.download) saved.push(this.download);
    else click.call(this);
  });
  return saved;
}

/** Removes everything from the page and restores the replaced properties. */
export function clearActions(): void {
  for (const restore of restores.splice(0)) restore();
  clearStage();
}
