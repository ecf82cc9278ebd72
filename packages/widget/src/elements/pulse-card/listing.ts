import type { ListedSource } from '../../data/parse-sources.ts';

/** A source's entry in a board's list, for its card. */
export interface Listing {
  readonly source: ListedSource;
  /** Called when the source's next run becomes overdue and when it is no longer overdue. */
  readonly onOverdueChange: (isOverdue: boolean) => void;
}
