import { watchPolicyViolations } from './diagnostics/policy-violations.ts';
import { PulseBoard } from './elements/pulse-board/element.ts';
import { PulseCard } from './elements/pulse-card/element.ts';

/** Defines the elements, save those that another copy of the script has defined. */
export function defineElements(): void {
  if (globalThis.document) watchPolicyViolations();
  if (!customElements.get('pulse-card')) customElements.define('pulse-card', PulseCard);
  if (!customElements.get('pulse-board')) customElements.define('pulse-board', PulseBoard);
}
