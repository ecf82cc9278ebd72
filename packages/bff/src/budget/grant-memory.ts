/**
 * Where calls are written down, so that a restart, or a process beside this one, knows what the key has spent. It only
 * ever adds to what is counted: one that is lost, old or unreadable makes nobody spend more.
 */
export interface GrantMemory {
  /** The calls of earlier processes: how long ago each was granted, in ms. */
  recall(): readonly number[];
  /**
   * Writes down, before the call leaves, that one is granted now. Returns how many calls other processes have written
   * since this one last looked.
   */
  record(): number;
}
