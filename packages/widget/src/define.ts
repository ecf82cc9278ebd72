import { PulseBoard } from './elements/pulse-board/element.ts';
import { PulseCard } from './elements/pulse-card/element.ts';

/**
 * Defines the elements, save those that another copy of the script has defined. In a browser that is too old for them
 * (before Chrome 125, Firefox 126 and Safari 17.4) the content that the page gives stays.
 */
export function defineElements(): void {
  if (globalThis.CSS && !CSS.supports('selector(:state(a))')) return;
  if (!customElements.get('pulse-card')) customElements.define('pulse-card', PulseCard);
  if (!customElements.get('pulse-board')) customElements.define('pulse-board', PulseBoard);
}
