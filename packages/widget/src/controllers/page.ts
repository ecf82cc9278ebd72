import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findAll, listen } from '../dom.ts';

/**
 * The interval between checks for live cards, ± 20%. Relative times change at most once a minute, so this is often
 * enough.
 */
const TICK_MS = 30_000;

/** A reader who returns after an absence longer than this sees the newest pulses. */
const LONG_ABSENCE_MS = 60_000;

/** An element that is notified of page events. */
export interface PageHost extends ReactiveControllerHost {
  /** Called about every 30 seconds while the page is visible, for all elements together. */
  _onTick(): void;
  /**
   * Called when the page becomes visible, gets focus, or comes back online. `isLong` is true after more than a minute,
   * and after the page has been offline.
   */
  _onReturn(isLong: boolean): void;
  /** Called when a relative time might have changed, and when the page becomes visible or hidden. */
  _onClock(): void;
  /** Called when the page's color scheme or language might have changed. */
  _onPageChange(): void;
  /** Whether only one reader is allowed to see the content. */
  readonly _isPrivate: boolean;
  /** Removes the content, because a different reader might be signed in when the browser shows a stored page again. */
  _empty(): void;
}

/**
 * The state of the whole page. `jitter` (0 to 1) spreads out the requests from many readers. All elements on a page
 * share it, so that they send their requests together.
 */
export const page: { isPrinting: boolean; jitter: number } = { isPrinting: false, jitter: Math.random() };

const controllers = new Set<PageController>();
let isListening = false;

/** How many times the page has entered or left the back/forward cache. */
let timesStored = 0;

/** Updates all connected elements on the page. */
export function updateAll(): void {
  notify((host) => host.requestUpdate());
}

/** Calls `callback` with each connected element. */
function notify(callback: (host: PageHost) => void): void {
  for (const { host } of controllers) callback(host);
}

/**
 * Notifies its host of events that all elements share: visibility, printing, connection, and time. Empties a private
 * host when the page goes into the back/forward cache, because the browser paints a restored page before any script
 * runs.
 */
export class PageController implements ReactiveController {
  readonly host: PageHost;
  /** Whether the host is empty because the page is in the back/forward cache. */
  isStored = false;
  /** Whether the host was emptied and hasn't sent a request since the page was shown again. */
  isRestored = false;
  #timesStored = timesStored;

  constructor(host: PageHost) {
    this.host = host;
    host.addController(this);
  }

  hostConnected(): void {
    controllers.add(this);
    this.host.requestUpdate();
    if (!isListening) listenToPage();
    isListening = true;
    // The page went into the back/forward cache while this element wasn't on it.
    if (this.#timesStored === timesStored) return;
    this.setStored(true);
    this.setStored(false);
  }

  /** Empties the host if it is private. A host that was emptied when the page was stored sends a new request. */
  setStored(isStored: boolean): void {
    this.#timesStored = timesStored;
    if (!this.isStored && !this.host._isPrivate) return;
    this.isStored = isStored;
    this.isRestored = !isStored;
    this.host._empty();
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    controllers.delete(this);
  }
}

/** Adds one listener of each kind for all elements. The listeners are never removed. */
function listenToPage(): void {
  noteVisibility();
  const onPrint = ({ type }: Event): void => {
    page.isPrinting = matchesMedia('print') || type === 'beforeprint';
    updateAll();
  };
  for (const type of ['beforeprint', 'afterprint'] as const) listen(type, onPrint);
  media('print')?.addEventListener('change', onPrint);
  listen('visibilitychange', onVisibilityChange, {}, document);
  listen('focus', () => notify((host) => host._onReturn(false)));
  for (const type of ['pagehide', 'pageshow'] as const)
    listen(type, ({ persisted }) => persisted && onStored(type === 'pagehide'));
  listen('online', () => notify((host) => host._onReturn(true)));
  observeRoots();
  media(DARK)?.addEventListener('change', onPageChange);
  setInterval(onTick, TICK_MS * (0.8 + 0.4 * page.jitter));
}

/**
 * Watches the attributes of `html` and `body`, because any of them can turn a page dark. Limits the callbacks, because
 * a page can change an attribute in every frame.
 */
function observeRoots(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    timer = undefined;
    onPageChange();
  };
  const observer = new MutationObserver(() => {
    observe();
    timer ??= setTimeout(onChange, 100);
  });
  // Some pages replace their body, so the children of `html` are observed, too.
  const observe = (): void => {
    for (const root of findAll('html, body'))
      observer.observe(root, { childList: root.localName === 'html', attributes: true });
  };
  observe();
}

/** The media query that matches if the reader prefers dark pages. */
export const DARK = '(prefers-color-scheme: dark)';

/** Whether a media query matches. In the simulated DOMs of test runners, queries never match. */
export function matchesMedia(query: string): boolean {
  return media(query)?.matches ?? false;
}

function media(query: string): MediaQueryList | undefined {
  return (globalThis as Partial<typeof globalThis>).matchMedia?.(query);
}

/** Whether the page is hidden. */
export function isPageHidden(): boolean {
  // If an element shadows `hidden`, the value is that element, which is never `true`.
  // oxlint-disable-next-line no-restricted-properties
  const { hidden } = document as { hidden: unknown };
  return hidden === true;
}

/** When the page was hidden or opened in the background, in milliseconds since the Unix epoch. */
let hiddenAt = Infinity;

function noteVisibility(): void {
  hiddenAt = isPageHidden() ? Date.now() : Infinity;
}

function onPageChange(): void {
  notify((host) => host._onPageChange());
}

function onVisibilityChange(): void {
  notify((host) => host._onClock());
  const isLong = Date.now() - hiddenAt > LONG_ABSENCE_MS;
  noteVisibility();
  if (!isPageHidden()) notify((host) => host._onReturn(isLong));
}

function onStored(isStored: boolean): void {
  timesStored++;
  // Emptying a board removes its cards from `controllers`, but they must be emptied, too.
  for (const controller of new Set(controllers)) controller.setStored(isStored);
}

function onTick(): void {
  if (isPageHidden()) return;
  notify((host) => host._onClock());
  notify((host) => host._onTick());
}
