import { PulseCard } from './pulse-card.ts';
import { isPolicyRefused } from './trusted-types.ts';
import { VERSION } from './version.ts';
import { warnOnce } from './warn-once.ts';

/** Registers `<pulse-card>`, unless another copy was first; where the page's policy forbids templates, its own content stays. */
export function definePulseCard(): void {
  const first = customElements.get('pulse-card') as { version?: string } | undefined;
  if (first) {
    if (first.version !== VERSION) warnOnce(`version ${VERSION} gives way to ${first.version}`);
  } else if (isPolicyRefused()) warnOnce('cannot start without "trusted-types lit-html"');
  else customElements.define('pulse-card', PulseCard);
}
