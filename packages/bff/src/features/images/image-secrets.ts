import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Core } from '../../feature.ts';

/** The purpose, which separates these secrets from others derived from the same key. */
const PURPOSE = 'pulse-card addresses of charts 1';

/** What the secrets depend on. */
export type SecretSource = Pick<Core, 'keyName' | 'deriveSecret' | 'onKeyChange'>;

/**
 * Makes the function that returns the secrets for signing addresses. The secrets are derived from the key in use and
 * the previous key. Instances that use the same key derive the same secrets.
 */
export function imageSecrets({ keyName, deriveSecret, onKeyChange }: SecretSource): () => readonly KeyObject[] {
  let name: string | undefined;
  let secrets: readonly KeyObject[] = [];
  const current = (): readonly KeyObject[] => {
    if (name === keyName()) return secrets;
    name = keyName();
    const secret = createSecretKey(deriveSecret(PURPOSE));
    return (secrets = [secret, ...secrets.filter((other) => !other.equals(secret)).slice(0, 1)]);
  };
  current();
  onKeyChange(current);
  return current;
}
