/**
 * Short named text that is stored in Redis, in a file, or only in this process. The methods reject while the storage
 * can't be reached.
 */
export interface KeptText {
  /** Whether the text outlives this process. */
  readonly isLasting: boolean;
  /** Whether this instance acts on the text. Only one of the instances that share the text does at a time. */
  claim(): Promise<boolean>;
  /** The text; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** Text that is stored only in this process. */
export function memoryText(): KeptText {
  let text: string | undefined;
  return {
    isLasting: false,
    claim: async () => true,
    load: async () => text,
    save: async (changed) => void (text = changed),
  };
}
