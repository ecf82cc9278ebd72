import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Feature } from '../../feature.ts';
import { thrownText } from './thrown-text.ts';

/**
 * Identifies clients by a digest of what `clientKey()` returns, so that no log contains a name. If `clientKey()` fails
 * or returns no name, returns undefined. The client's address is used instead.
 */
export function namedClient(
  clientKey: (request: IncomingMessage) => unknown,
  onFault: (message: string) => void,
): NonNullable<Feature['nameClient']> {
  const report = (words: string): void => onFault(`clientKey() failed, so the address is used: ${words}`);
  return (request) => {
    try {
      const name = clientKey(request);
      if ((typeof name === 'string' && name !== '') || Number.isFinite(name))
        return `client ${createHash('sha256').update(String(name)).digest('base64url').slice(0, 16)}`;
      if (typeof name === 'object' && name !== null) {
        // A rejection without a handler would end the process.
        Promise.resolve(name).catch(() => {});
        report('it returned a promise or another object, not a string');
      }
    } catch (fault) {
      report(thrownText(fault));
    }
    return undefined;
  };
}
