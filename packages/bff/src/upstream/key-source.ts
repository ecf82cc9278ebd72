import type { ApiKey } from '../lib/api-key.ts';

/** The key of the upstream, which may be replaced while the process runs. */
export interface KeySource {
  /** The key for the next call. */
  current(): ApiKey;
  /** Records that the upstream accepted `key`. */
  accepted(key: ApiKey): void;
  /**
   * Records that the upstream refused `key`. Returns whether a different key is available, so that the call can be
   * retried.
   */
  refused(key: ApiKey): Promise<boolean>;
  /**
   * Calls `listener` when a new key is in use, but not when the previous key replaces a refused one. The returned
   * function unsubscribes.
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** A key that never changes. */
export function fixedKey(key: ApiKey): KeySource {
  const nothing = (): void => {};
  return { current: () => key, accepted: nothing, refused: async () => false, onChange: () => nothing, close: nothing };
}
