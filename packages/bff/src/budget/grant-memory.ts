/** What earlier processes have left behind. */
export type Recalled =
  | { readonly kind: 'calls'; readonly agesMs: readonly number[] }
  | { readonly kind: 'first-start' }
  | { readonly kind: 'unreadable' };

/** What came of writing a call down. */
export interface Recorded {
  /** False where it could not be written: nobody will remember it. */
  readonly isKept: boolean;
  /** Calls that other processes have written since this one last looked. */
  readonly callsOfOthers: number;
}

/** Where calls are written down, so that a restart, or a process beside this one, knows what the key has spent. */
export interface GrantMemory {
  /** The calls of earlier processes, by how long ago they were granted at the least. */
  recall(): Recalled;
  /** Writes down, before the call leaves, that one is granted now. */
  record(): Recorded;
}
