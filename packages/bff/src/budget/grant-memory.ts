/** What earlier processes have left behind. */
export type Recalled =
  | { readonly kind: 'calls'; readonly agesMs: readonly number[] }
  | { readonly kind: 'first-start' }
  | { readonly kind: 'unreadable' };

/** Where calls are written down, so that a restart knows what the key has spent. */
export interface GrantMemory {
  /** The calls of earlier processes, by how long ago they were granted at the least. */
  recall(): Recalled;
  /** Writes down, before the call leaves, that one is granted now; false where that failed. */
  record(): boolean;
}
