import { listen } from '../dom.ts';

const closers = new WeakMap<Element, AbortController>();

/**
 * Opens or closes the menu of actions in a narrow card. The Escape key closes the menu. A click or a focus outside of
 * the menu also closes it.
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
    // In Safari, a click on a button removes the focus and doesn't move it to the button.
    if (relatedTarget && !actions.contains(relatedTarget as Node)) closeMenu(menu);
  };
  actions.addEventListener('focusout', onFocusOut, { signal });
  actions.addEventListener('keydown', ({ key }) => void (key === 'Escape' && closeMenu(menu)), { signal });
}

/** Closes the menu if it is open. If the focus is in the menu, moves the focus to the menu's button. */
export function closeMenu(menu: HTMLElement): void {
  // WebKit doesn't match `:focus` in a window that isn't active.
  const { activeElement } = menu.getRootNode() as ShadowRoot;
  const hasFocus = menu.parentElement?.contains(activeElement);
  menu.ariaExpanded = 'false';
  closers.get(menu)?.abort();
  if (hasFocus) menu.focus();
}
