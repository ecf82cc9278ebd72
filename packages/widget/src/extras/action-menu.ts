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
  const closeUnlessIn = (places: readonly unknown[]): void => void (places.includes(actions) || closeMenu(menu));
  listen('pointerdown', (event) => closeUnlessIn(event.composedPath()), { capture: true, signal });
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    // In Safari, clicking a button removes focus instead of moving it to the button.
    if (relatedTarget && !actions.contains(relatedTarget as Node)) closeMenu(menu);
  };
  actions.addEventListener('focusout', onFocusOut, { signal });
  actions.addEventListener('keydown', ({ key }) => void (key === 'Escape' && closeMenu(menu)), { signal });
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
