import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free loopback port, until it is disposed of. */
export async function serve(listener: RequestListener, server: Server = createServer()) {
  // A busy client could use an idle connection at the moment that the server closes it.
  server.keepAliveTimeout = 0;
  server.on('request', listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
