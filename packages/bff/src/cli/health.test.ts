import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { health } from './health.ts';
import type { Shell } from './output.ts';

/** The line that `pulse-bff health` prints about a server that sends this response. */
async function lineAbout(status: number, body: string, host = '127.0.0.1'): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let printed = '';
  const output = { write: (text: string) => (printed += text) };
  await health({ env: { HOST: host, PORT: String(port) }, stdout: output, stderr: output } as unknown as Shell);
  server.close();
  return printed.replaceAll(String(port), 'PORT').trimEnd();
}

describe('health()', () => {
  for (const [status, host] of [
    [503, '127.0.0.1'],
    [503, '0.0.0.0'],
    [302, '127.0.0.1'],
  ] as const)
    it(`prints what an instance on ${host} returns with ${status}`, async () =>
      assert.equal(await lineAbout(status, 'why', host), `http://127.0.0.1:PORT/readyz returned ${status}: why`));
});
