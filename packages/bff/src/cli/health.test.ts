import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serve } from '../testing/serve.ts';
import { health } from './health.ts';
import type { Shell } from './output.ts';

/** The line that `pulse-bff health` prints about a server that sends this response, and the exit code. */
async function lineAbout(status: number, body: string, host = '127.0.0.1'): Promise<string> {
  await using server = await serve((_request, response) => response.writeHead(status).end(body));
  const { port } = new URL(server.url);
  let printed = '';
  const output = { write: (text: string) => (printed += text) };
  const shell = { env: { HOST: host, PORT: port }, stdout: output, stderr: output } as unknown as Shell;
  await health(shell);
  return `${printed.replaceAll(port, 'PORT').trimEnd()} ${shell.exitCode}`;
}

describe('health()', () => {
  for (const host of ['::', '::1'])
    it(`reaches an instance that listens on ${host} over IPv6`, async () =>
      assert.match(await lineAbout(200, '{}', host), /^Can’t reach http:\/\/\[::1\]:PORT\/readyz \(E\w+\) 1$/));

  it('waits at most five seconds', async (t) => {
    const late = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
    assert.match(await lineAbout(200, '{}'), /^Can’t reach .+ 1$/);
    assert.deepEqual(late.mock.calls[0]?.arguments, [5_000]);
  });

  it('needs a port', () =>
    assert.rejects(health({ env: { PORT: '0' } } as unknown as Shell), /PORT: must be the port/));

  it('prints only the beginning of what another server on this port returns', async () => {
    const line = await lineAbout(404, `<!doctype html>\n${'x'.repeat(5_000)}`);
    assert.match(line, /^http:.+ returned 404: <!doctype html>\?x{984} 1$/);
  });

  it('prints that an instance is ready', async () => assert.equal(await lineAbout(200, '{}'), 'Ready 0'));

  for (const [status, host] of [
    [503, '127.0.0.1'],
    [503, '0.0.0.0'],
    [302, '127.0.0.1'],
  ] as const)
    it(`prints what an instance on ${host} returns with ${status}`, async () =>
      assert.equal(await lineAbout(status, 'why', host), `http://127.0.0.1:PORT/readyz returned ${status}: why 1`));
});
