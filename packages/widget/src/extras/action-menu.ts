import { listen } from '../dom.ts';

const closers = new WeakMap<Element, AbortController>();

/**
 * Opens or closes the menu of actions in a narrow card. The Escape key, a click outside, and moving focus outside also
 * close it.
 */
export function toggleMenu(menu: HTMLElement): void {
  if (menu.ariaExpanded === 'true') return closeMenu(menu);
  const actions = menu.parentElement as HTMLElement;
  const closer = new AbortController();
  const { signal } = closer;
  closers.set(menu, closer);
  menu.ariaExpanded = 'true';
  const closeIf = (mustClose: boolean): void => {
    if (mustClose) closeMenu(menu);
  };
  const options = { capture: true, signal };
  listen('pointerdown', (event) => closeIf(!event.composedPath().includes(actions)), options);
  // In Safari, clicking a button removes focus instead of moving it to the button.
  actions.addEventListener(
    'focusout',
    ({ relatedTarget: next }) => closeIf(!!next && !actions.contains(next as Node)),
    options,
  );
  actions.addEventListener('keydown', ({ key }) => closeIf(key === 'Escape'), options);
}

/** Closes the menu if it is open. If focus is inside, moves it to the menu's button. */
export function closeMenu(menu: HTMLElement): void {
  // WebKit doesn't match `:focus` in a window that isn't active.
  const { activeElement } = menu.getRootNode() as ShadowRoot;
  const hasFocus = menu.parentElement?.contains(activeElement);
  menu.ariaExpanded = 'false';
  closers.get(menu)?.abort();
  if (hasFocus) menu.focus();
}
