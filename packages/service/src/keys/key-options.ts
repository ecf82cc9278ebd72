import { KEY_SCOPES, type KeyScope, keyScopeSchema } from '@pulse-card/contract';
import { CommandRefused } from '../command-refused.ts';

/** Longest life of a key: ten years. */
const MAX_DAYS = 3_650;

/** The scopes in a comma-separated list. Throws `CommandRefused`. */
export function readScopes(raw: string): KeyScope[] {
  const words = raw.split(',').map((word) => word.trim());
  const scopes = keyScopeSchema.array().nonempty().safeParse(words);
  if (scopes.success) return [...new Set(scopes.data)];
  throw new CommandRefused(`Cannot create a key: --scopes takes ${KEY_SCOPES.join(' and ')}, comma-separated`);
}

/** The days, or parts of a day, that a key is to work. Throws `CommandRefused`. */
export function readDays(raw: string): number {
  const days = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
  if (days > 0 && days <= MAX_DAYS) return days;
  throw new CommandRefused(`Cannot create a key: --expires-in-days takes a number above 0, up to ${MAX_DAYS}`);
}
