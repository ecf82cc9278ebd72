import { PulseBoard } from './elements/pulse-board/element.ts';
import { PulseCard } from './elements/pulse-card/element.ts';

/** Whether the browser has the newest features that the elements need: those of Chrome 125, Firefox 126 and Safari 17.5. */
function isSupported(): boolean {
  return !globalThis.CSS || (CSS.supports('color: light-dark(red, red)') && CSS.supports('selector(:state(a))'));
}

/**
 * Defines the elements, save those that another copy of the script has defined. In a browser that is too old for them, the
 * content that the page gives stays.
 */
export function defineElements(): void {
  if (!isSupported()) return;
  if (!customElements.get('pulse-card')) customElements.define('pulse-card', PulseCard);
  if (!customElements.get('pulse-board')) customElements.define('pulse-board', PulseBoard);
}
