import { defineElements } from './register.ts';

export { PulseBoard } from './board/pulse-board.ts';
export type { ListedSource, SourceList } from './board/source-list.ts';
export type { Variant } from './card-size.ts';
export { PulseCard } from './pulse-card.ts';
export type * from './pulse-events.ts';
export type { Pulse } from './pulse-outcome.ts';
export type { PulseState } from './pulse-state.ts';
export type { Words } from './words.ts';

defineElements();
