import { PulseBoard } from './board/pulse-board.ts';
import { PulseCard } from './pulse-card.ts';
import { isPolicyRefused } from './trusted-types.ts';
import { VERSION } from './version.ts';
import { warnOnce } from './warn-once.ts';

/** Registers the elements, save those that another copy has; where the page's policy forbids templates, its own content stays. */
export function defineElements(): void {
  define('pulse-card', PulseCard);
  define('pulse-board', PulseBoard);
}

function define(name: string, element: CustomElementConstructor): void {
  const first = customElements.get(name) as { version?: string } | undefined;
  if (first) {
    if (first.version !== VERSION) warnOnce(`version ${VERSION} gives way to ${first.version}`);
  } else if (isPolicyRefused()) warnOnce('cannot start without "trusted-types lit-html"');
  else customElements.define(name, element);
}
