import { isIP } from 'node:net';
import { isPlainHost } from '@pulse-card/contract';
import { hostAddress, listOf, port, readBy } from '../../config/schemas.ts';
import type { SettingsOf } from '../../config/variables.ts';

/** A host as it appears in requests: a name or an IP address, without a port. */
const requestHost = readBy((text) => {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  const url = /^(?:\[[\da-f:.]+\]|[^:/?#@\\[\]]+)$/i.test(host) ? URL.parse(`http://${host}`) : null;
  return url !== null && isPlainHost(url.hostname) ? url.hostname : undefined;
}, 'must be a host name or an IP address, without a scheme, port, path, or wildcard');

/** The variables of the private port. */
export const privatePortVariables = {
  PULSE_ADMIN_PORT: port(4021).describe(
    'The private port, which serves the status page, the Studio, `/status`, and `/metrics`. 0 selects a free port',
  ),
  PULSE_ADMIN_HOST: hostAddress
    .default('127.0.0.1')
    .describe(
      'The address that the private port listens on. Set an address other than loopback only in containers and private networks',
    ),
  PULSE_ADMIN_HOSTS: listOf(requestHost).describe(
    'Additional host names, comma-separated, at which the private port can be reached. For example, the name that a proxy with a login passes on',
  ),
};

/** The values of the private port's variables. */
export type PrivatePortSettings = SettingsOf<typeof privatePortVariables>;

/** The private port. `pulse-bff serve` opens it, and a mounted BFF has none. */
export const privatePort = { variables: privatePortVariables };
