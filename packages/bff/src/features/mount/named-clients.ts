import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NameClients } from '../../http/client-key.ts';
import { thrownText } from '../../lib/thrown-text.ts';

/**
 * Identifies clients by a digest of `clientKey()`, so that no log contains a name. Uses their address if `clientKey()`
 * fails or returns no name.
 */
export function namedClients(clientKey: (request: IncomingMessage) => unknown): NameClients {
  return (addressOf, onFault) => {
    const report = (words: string): void => onFault(`clientKey() failed, so the address is used: ${words}`);
    return (request) => {
      try {
        const name = clientKey(request);
        if ((typeof name === 'string' && name !== '') || Number.isFinite(name))
          return `client ${createHash('sha256').update(String(name)).digest('base64url').slice(0, 16)}`;
        if (typeof name === 'object' && name !== null) {
          // A rejection that no one handles ends the process.
          Promise.resolve(name).catch(() => {});
          report('it returned a promise or another object, not a string');
        }
      } catch (fault) {
        report(thrownText(fault));
      }
      return addressOf(request);
    };
  };
}
