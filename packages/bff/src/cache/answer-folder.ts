import type { ReadPulse, ReadSource } from '@pulse-card/contract';

/** An answer about a source, as it is saved. */
export interface SavedPulse {
  readonly sourceId: string;
  /** Null if the service answered that there is none. */
  readonly pulse: ReadPulse | null;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list, as it is saved. */
export interface SavedList {
  readonly sources: readonly ReadSource[] | null;
  readonly requestedAtMs: number;
  /** Ids found at run time. */
  readonly discovered: readonly string[];
}

/** Everything that was saved, of one account. */
export interface SavedState extends SavedList {
  /** A digest of the account, or the name of the key while no answer names an account. */
  readonly account: string;
  /** Names of the keys that are known to belong to the account; the latest comes last. */
  readonly keys: readonly string[];
  /** The exposed fields that the list was stored with. */
  readonly fields: readonly string[];
  /** When the key was first refused; null while it is accepted. */
  readonly refusedSinceMs: number | null;
  readonly pulses: readonly (SavedPulse & { readonly fields: readonly string[] })[];
}

/** Keeps the last good answers of one account over restarts. */
export interface AnswerFolder {
  /** The error code of the last write, such as `ENOSPC`; undefined if it succeeded. */
  readonly fault: string | undefined;
  /** Loads what earlier processes saved; undefined if their account is unknown. */
  load(): Promise<SavedState | undefined>;
  /** Records whose answers are saved from now on. Nothing is saved before this call. */
  belongsTo(account: string, keys: readonly string[]): void;
  savePulse(pulse: SavedPulse): void;
  saveList(list: SavedList): void;
  /** Saves since when the key is refused; null while it is accepted. */
  saveRefusal(refusedSinceMs: number | null): void;
  /** Removes all that is saved. */
  clear(): void;
}
