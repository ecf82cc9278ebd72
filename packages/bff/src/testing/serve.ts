import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens on a free loopback port. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Listens on a free loopback port. @param server the server whose requests `listener` answers */
export async function serve(listener: RequestListener, server: Server = createServer()): Promise<Served> {
  server.on('request', listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
