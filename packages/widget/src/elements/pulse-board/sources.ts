import type { ListedSource, SourceList } from '../../data/parse-sources.ts';

/** How cards are sorted; `newest` is the order of the list. */
export type SortOrder = 'newest' | 'attention' | 'name';

/** Says whether somebody has to do something about `source`. */
export function needsAttention({ status }: ListedSource): boolean {
  return status === 'PENDING' || status === 'DEGRADED' || status === 'BROKEN';
}

/** `sources` in an order; what is equal stays in the order of the list. */
export function sortSources(sources: SourceList, order: SortOrder): SourceList {
  if (order === 'name') return sources.toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  if (order !== 'attention') return sources;
  return sources.toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)));
}
