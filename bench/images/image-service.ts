import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fullPulse } from '@pulse-card/contract/examples';

/** A service whose pulses have the addresses of charts that they are told. */
export interface ImageService {
  readonly url: string;
  close(): void;
}

/** Starts the service: a pulse for each id, with the address of its chart as it stands. */
export async function startImageService(imageUrls: ReadonlyMap<string, string>): Promise<ImageService> {
  const server = createServer(({ url = '' }, response) => {
    const sourceId = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(url)?.[1] ?? '';
    const imageUrl = imageUrls.get(sourceId);
    const meta = { account: { id: 'acc_1', email: 'owner@acme.test' }, requestedAt: new Date().toISOString() };
    const body =
      imageUrl === undefined
        ? { meta, sources: [] }
        : { meta, pulse: { ...fullPulse, sourceId, jobRunId: `run_of_${sourceId}`, imageUrl } };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
