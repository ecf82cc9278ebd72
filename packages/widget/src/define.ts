import { definePulseCard } from './register.ts';

export type { Variant } from './card-size.ts';
export { PulseCard } from './pulse-card.ts';
export type * from './pulse-events.ts';
export type { Pulse } from './pulse-outcome.ts';
export type { PulseState } from './pulse-state.ts';
export type { Words } from './words.ts';

definePulseCard();
