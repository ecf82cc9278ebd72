import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AnswerOwner } from '../upstream/port.ts';
import type { SavedAccount } from './account-guard.ts';

/** Keys that are remembered as those of the account: more than are in use while one is replaced. */
const KEYS = 4;

/** Length of salts and digests, in bytes. */
const DIGEST_BYTES = 16;

/** A salt, or a digest with it, as text. */
export const digestSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

/** Whose answers a folder holds: account and keys as digests with a salt of the folder's own. */
export const accountFactsSchema = z.object({
  salt: digestSchema,
  account: digestSchema,
  keys: z.array(digestSchema).max(KEYS),
});

type AccountFacts = z.infer<typeof accountFactsSchema>;

/** Whose answers a folder holds, told by nothing but a comparison. */
export class AccountFingerprint implements SavedAccount {
  readonly facts: AccountFacts;

  constructor({ salt, account, keys }: AccountFacts) {
    this.facts = { salt, account, keys };
  }

  static of({ account = '', keyName }: AnswerOwner): AccountFingerprint {
    const salt = randomBytes(DIGEST_BYTES).toString('base64url');
    return new AccountFingerprint({ salt, account: digestOf(salt, account), keys: [digestOf(salt, keyName)] });
  }

  isAccount(account: string): boolean {
    return this.facts.account === digestOf(this.facts.salt, account);
  }

  hasKey(keyName: string): boolean {
    return this.facts.keys.includes(digestOf(this.facts.salt, keyName));
  }

  withKey(keyName: string): AccountFingerprint {
    const { salt, account, keys } = this.facts;
    return new AccountFingerprint({ salt, account, keys: [...keys, digestOf(salt, keyName)].slice(-KEYS) });
  }
}

function digestOf(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
