import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { printing } from '../data/print-request.ts';
import { onPolicyViolation } from '../diagnostics/policy-violations.ts';

/** Half of the smallest step that a relative time shows, and how often live cards ask again; a fifth more or less. */
const TICK_MS = 30_000;

/** A reader who returns to a page after more than this sees the newest pulses. */
const LONG_ABSENCE_MS = 60_000;

/** The reactions of an element to events of its page. */
export interface PageOptions {
  /** Called every 30 seconds or so while the page is visible, for all elements together. */
  readonly onTick?: () => void;
  /** Called when the page is visible, focused or online again; `isLong` where it was away for more than a minute. */
  readonly onReturn?: (isLong: boolean) => void;
  /** Called when the page may have turned dark or light. */
  readonly onColorScheme?: () => void;
  /** Called when the browser is about to print; only microtasks run before it does. */
  readonly onPrint?: () => void;
  /** Called when the browser may keep the page for the Back button. */
  readonly onStore?: () => void;
  /** Called when the browser shows the page again that it has kept. */
  readonly onRestore?: () => void;
}

/**
 * The state of the whole page. `jitter`, 0 to 1, spreads the requests of many readers; on one page it is the same for all,
 * so that what was answered together is requested together again.
 */
export const page: { isPrinting: boolean; jitter: number } = { isPrinting: false, jitter: Math.random() };

const controllers = new Set<PageController>();
let isListening = false;

/** How many times the browser has kept the page. */
let timesStored = 0;

/** Updates all connected elements of the page. */
export function updateAll(): void {
  for (const { host } of controllers) host.requestUpdate();
}

/** Tells its host of what all elements share: visibility, printing, connection, time. */
export class PageController implements ReactiveController {
  readonly host: ReactiveControllerHost;
  readonly options: PageOptions;
  #timesStored = timesStored;

  constructor(host: ReactiveControllerHost, options: PageOptions) {
    this.host = host;
    this.options = options;
    host.addController(this);
  }

  hostConnected(): void {
    controllers.add(this);
    this.host.requestUpdate();
    if (!isListening) listen();
    isListening = true;
    // The page was stored while this element was not in it.
    if (this.#timesStored === timesStored) return;
    this.store();
    this.options.onRestore?.();
  }

  store(): void {
    this.#timesStored = timesStored;
    this.options.onStore?.();
  }

  hostDisconnected(): void {
    controllers.delete(this);
  }
}

/** One listener of each kind serves all elements, for as long as the page is there. */
function listen(): void {
  const onPrint = ({ type }: Event): void => {
    page.isPrinting = matchesMedia('print') || type === 'beforeprint';
    updateAll();
    if (type !== 'beforeprint') return;
    printing.isStarting = true;
    for (const { options } of controllers) options.onPrint?.();
    setTimeout(() => (printing.isStarting = false));
  };
  for (const type of ['beforeprint', 'afterprint']) addEventListener(type, onPrint);
  media('print')?.addEventListener('change', onPrint);
  // From the prototype: an element of the page can be called `addEventListener`, or `hidden`.
  const listenTo = (type: string, listener: (event: never) => void): void =>
    EventTarget.prototype.addEventListener.call(document, type, listener as EventListener);
  listenTo('securitypolicyviolation', onPolicyViolation);
  listenTo('visibilitychange', onVisibilityChange);
  addEventListener('focus', () => onReturn(false));
  addEventListener('pagehide', ({ persisted }) => persisted && onStore());
  addEventListener('pageshow', ({ persisted }) => persisted && onRestore());
  addEventListener('online', () => onReturn(true));
  observeRoots(onColorScheme, {});
  observeRoots(updateAll, { attributeFilter: ['lang', 'dir'] });
  media(DARK)?.addEventListener('change', onColorScheme);
  setInterval(onTick, TICK_MS * (0.8 + 0.4 * page.jitter));
}

/** Calls back when attributes of `html` or `body` have changed. A page may change one in each frame. */
function observeRoots(onChange: () => void, options: MutationObserverInit): void {
  let later: ReturnType<typeof setTimeout> | undefined;
  const call = (): void => {
    later = undefined;
    onChange();
  };
  const observer = new MutationObserver(() => (later ??= setTimeout(call, 100)));
  for (const root of Document.prototype.querySelectorAll.call(document, 'html, body'))
    observer.observe(root, { attributes: true, ...options });
}

/** A page can turn dark by any attribute of `html` or `body`. */
function onColorScheme(): void {
  for (const { options } of controllers) options.onColorScheme?.();
}

/** The media query of a reader who prefers dark pages. */
export const DARK = '(prefers-color-scheme: dark)';

/** Whether a media query holds; none does in the DOMs of test runners. */
export function matchesMedia(query: string): boolean {
  return media(query)?.matches ?? false;
}

function media(query: string): MediaQueryList | undefined {
  return (globalThis as Partial<typeof globalThis>).matchMedia?.(query);
}

/** Whether nobody can see the page. */
export function isPageHidden(): boolean {
  const { hidden } = document as { hidden: unknown };
  return hidden === true;
}

let hiddenAt = Infinity;

function onVisibilityChange(): void {
  updateAll();
  const isLong = Date.now() - hiddenAt > LONG_ABSENCE_MS;
  hiddenAt = isPageHidden() ? Date.now() : Infinity;
  if (!isPageHidden()) onReturn(isLong);
}

function onReturn(isLong: boolean): void {
  for (const { options } of controllers) options.onReturn?.(isLong);
}

function onStore(): void {
  timesStored++;
  // A board that is emptied removes its cards, which are emptied too.
  for (const controller of new Set(controllers)) controller.store();
}

function onRestore(): void {
  for (const { options } of controllers) options.onRestore?.();
}

function onTick(): void {
  if (isPageHidden()) return;
  updateAll();
  for (const { options } of controllers) options.onTick?.();
}
