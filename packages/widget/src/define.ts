import { warnOnce } from './diagnostics/warn-once.ts';

/**
 * Whether the browser has the newest features that the elements need, added in Chrome 125, Firefox 126, and Safari
 * 17.5.
 */
function isSupported(): boolean {
  return !globalThis.CSS || CSS.supports('(color: light-dark(red, red)) and selector(:state(a))');
}

/**
 * Defines an element, unless another copy of the script has defined it. In a browser that is too old for the element,
 * its fallback content stays visible.
 */
export function define(tag: string, element: CustomElementConstructor): void {
  if (!isSupported()) warnOnce('This browser is too old for cards');
  else if (!customElements.get(tag)) customElements.define(tag, element);
}
