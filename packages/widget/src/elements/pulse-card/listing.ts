import type { ListedSource } from '../../data/parse-sources.ts';

/** A card's entry in a board's list. */
export interface Listing {
  readonly source: ListedSource;
  /** Called when the source's next run becomes overdue, and when it is no longer overdue. */
  readonly onOverdueChange: (isOverdue: boolean) => void;
}

/** Whether a card has to be rendered again for a new listing. */
export function isOtherSource(after: Listing | null, before: Listing | null | undefined): boolean {
  return after?.source !== before?.source;
}
