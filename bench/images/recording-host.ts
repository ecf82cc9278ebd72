import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A host of images that writes down who comes. */
export interface RecordingHost {
  readonly port: number;
  /** Connections that were made, whether or not anything was asked. */
  connections(): number;
  /** The headers of each request, as they came: name, value, name, value. */
  readonly requests: (readonly string[])[];
  close(): void;
}

/** Starts a host on a free port of loopback, IPv4 and IPv6. */
export async function startRecordingHost(answer: RequestListener): Promise<RecordingHost> {
  const requests: (readonly string[])[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request.rawHeaders);
    answer(request, response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, '::', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
