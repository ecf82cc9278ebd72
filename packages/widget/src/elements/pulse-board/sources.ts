import type { ListedSource, SourceList } from '../../data/parse-sources.ts';

/** The cards' order. */
export type SortOrder = 'newest' | 'attention' | 'name';

/** What the order depends on in addition to the list. */
export interface SortFacts {
  /** When a source's pulse was completed (ISO 8601), if the time is known. */
  readonly completedAt: (source: ListedSource) => string | null | undefined;
  readonly needsAttention: (source: ListedSource) => boolean;
}

/** Whether `source` needs attention from its owner: it needs reconnection, or it is overdue. */
export function needsAttention({ status }: ListedSource, isOverdue: boolean): boolean {
  return isOverdue || status === 'BROKEN';
}

/**
 * Sorts `sources`. Sources that are equal in this order keep the list's order. With `newest`, sources without a time
 * come last.
 */
export function sortSources(
  sources: SourceList,
  order: SortOrder,
  { completedAt, needsAttention }: SortFacts,
): SourceList {
  if (order === 'name') return sources.toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  if (order === 'attention') return sources.toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)));
  const timeOf = (source: ListedSource): number => Date.parse(completedAt(source) ?? '') || 0;
  return sources.toSorted((a, b) => timeOf(b) - timeOf(a));
}
