import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/** Secrets for `purpose`, made of the key in use and of the one before it, so that all instances with one key have the same. */
export function derivedSecrets(ring: KeyRing, purpose: string): () => readonly KeyObject[] {
  const secret = (): KeyObject => createSecretKey(ring.current().derive(purpose));
  let secrets = [secret()];
  ring.onChange(() => (secrets = [secret(), ...secrets.slice(0, 1)]));
  return () => secrets;
}
