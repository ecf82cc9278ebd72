import type { Answer } from '../upstream/answer.ts';
import type { Content } from '../upstream/subject.ts';

/** The complete state that an earlier process saved for one account. */
export interface SavedState {
  /** A digest of the account, or the name of the key if no answer has named an account. */
  readonly account: string;
  /** Names of the keys that are known to belong to the account, with the latest key last. */
  readonly keys: readonly string[];
  /** When the key was first refused, on the monotonic clock; undefined if the key is accepted. */
  readonly refusedAt: number | undefined;
  /** The answers by subject. */
  readonly answers: readonly (readonly [subject: string, answer: Answer<Content>])[];
}

/** Keeps the last good answers for one account across restarts. */
export interface AnswerFolder {
  /** Loads the state that earlier processes saved; undefined if the state's account is unknown. */
  load(): Promise<SavedState | undefined>;
  /** Sets the account whose answers are saved from now on. Nothing is saved before the first call of this method. */
  belongsTo(account: string, keys: readonly string[]): void;
  save(subject: string, answer: Answer<Content>): void;
  /** Saves how long the key has been refused, in ms; undefined if the key is accepted. */
  saveRefusal(refusedForMs: number | undefined): void;
  /** Removes all saved state. */
  clear(): void;
}
