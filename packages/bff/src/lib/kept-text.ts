/** A text that is kept in Redis, in a file, or in this process only. Its methods reject while it can't be reached. */
export interface KeptText {
  /** Whether the text outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether this instance, of all that share the text, is the one that acts on it. */
  claim(): Promise<boolean>;
  /** The text; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** A text in this process only. */
export function memoryText(): KeptText {
  let text: string | undefined;
  return {
    isLasting: false,
    claim: async () => true,
    load: async () => text,
    save: async (changed) => void (text = changed),
  };
}
