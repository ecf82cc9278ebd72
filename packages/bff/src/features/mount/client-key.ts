import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { thrownText } from './authorize.ts';

/**
 * Identifies clients by a digest of what `clientKey()` returns, so that no log contains a name. If it fails or returns
 * no name, the result is undefined, and the IP address is used.
 */
export function namedClient(
  clientKey: (req: never) => unknown,
  onHostFault: (message: string) => void,
): (req: IncomingMessage) => string | undefined {
  const report = (words: string): void => onHostFault(`clientKey() failed, so the IP address is used: ${words}`);
  return (req) => {
    try {
      const name = clientKey(req as never);
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
