import { define } from './define.ts';
import { PulseBoard } from './elements/pulse-board/element.ts';
import { PulseCard } from './elements/pulse-card/element.ts';

export * from './elements/index.ts';

// The classes can be imported even without a browser.
if (globalThis.customElements) {
  define('pulse-card', PulseCard);
  define('pulse-board', PulseBoard);
}
