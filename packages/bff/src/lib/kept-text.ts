/**
 * Text that is kept in Redis, in a file, or only in this process. The methods reject while the storage can't be
 * reached.
 */
export interface KeptText {
  /** Whether the text outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether this instance acts on the text. Of all instances that share the text, only one acts on it. */
  claim(): Promise<boolean>;
  /** Returns the text; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** Text that is kept only in this process. */
export function memoryText(): KeptText {
  let text: string | undefined;
  return {
    isLasting: false,
    claim: async () => true,
    load: async () => text,
    save: async (changed) => void (text = changed),
  };
}
