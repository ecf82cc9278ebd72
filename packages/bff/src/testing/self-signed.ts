import { createServer, type Server } from 'node:https';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../testkit/src/service/certificate.ts';

/** Creates an HTTPS server with a certificate that no one trusts. */
export function createSelfSignedServer(): Server {
  return createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY });
}
