import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it } from 'node:test';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { serve } from '../../bff/src/testing/serve.ts';
import { tokenVariables } from '../../bff/src/testing/served-app.ts';
import { tokenAt } from '../../token/src/testing/forged-tokens.ts';
import { mcpHandler, type McpHandlerOptions } from './index.ts';
import { call, connectClient, serveBffWithChart } from './testing/chat.ts';
import { StreamableHTTPClientTransport } from './testing/client.ts';

const PAGE = 'https://chat.example.com';
const bff = await serveBffWithChart();
const privateBff = await serveBffWithChart(tokenVariables);
after(async () => {
  for (const served of [bff, privateBff]) await served[Symbol.asyncDispose]();
});
for (const served of [bff, privateBff]) served.show();

const goodToken = () => tokenAt(Math.floor(Date.now() / 1_000));

/** Serves the handler over HTTP. */
async function serveHandler(options: Partial<McpHandlerOptions> = {}) {
  const handler = mcpHandler({ bff: bff.url, allowedOrigins: [PAGE], ...options });
  const listener = toNodeHandler({ fetch: handler });
  // The adapter's types and Node's types disagree about values that can be undefined.
  return serve((request, response) => void listener(request as NodeIncomingMessageLike, response), createServer());
}

const transportOf = (url: string, headers: Record<string, string> = {}) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
});

/** A request to a handler under the hostname `host`. */
const requestOf = (host: string, headers: Record<string, string> = {}, method = 'POST') =>
  new Request(`http://${host}/mcp`, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' && { body: INITIALIZE }),
  });

describe('mcpHandler()', () => {
  for (const mode of ['legacy', 'auto'] as const)
    it(`responds to the SDK's client over HTTP, with ${mode} negotiation`, async () => {
      await using served = await serveHandler();
      const client = await connectClient(transportOf(served.url), mode);
      const { text, image } = await call(client, 'get_pulse', { sourceId: 'src_1' });
      assert.match(text, /Finding \(AI-generated\): Revenue/);
      assert.equal(image?.mimeType, 'image/png');
      await client.close();
    });

  it('doesn’t create a session', async () => {
    const answer = await mcpHandler({ bff: bff.url, allowedOrigins: [] })(requestOf('localhost'));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Mcp-Session-Id'), null);
  });

  it('allows requests without an origin and lets pages on an allowed origin read the response', async () => {
    const handler = mcpHandler({ bff: bff.url, allowedOrigins: [PAGE] });
    assert.equal((await handler(requestOf('localhost'))).status, 200);
    const answer = await handler(requestOf('localhost', { Origin: PAGE }));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Access-Control-Allow-Origin'), PAGE);
    assert.match(answer.headers.get('Vary') ?? '', /Origin/);
  });

  it('responds to a preflight request from an allowed origin', async () => {
    const asked = { Origin: PAGE, 'Access-Control-Request-Headers': 'content-type,mcp-protocol-version' };
    const answer = await mcpHandler({ bff: bff.url, allowedOrigins: [PAGE] })(requestOf('localhost', asked, 'OPTIONS'));
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('Access-Control-Allow-Headers'), 'content-type,mcp-protocol-version');
  });

  for (const origin of ['https://evil.test', 'null', `${PAGE}.evil.test`, `${PAGE}:8443`, 'http://chat.example.com'])
    for (const method of ['POST', 'OPTIONS'])
      it(`T-97: rejects the origin ${origin} (${method})`, async () => {
        const handler = mcpHandler({ bff: bff.url, allowedOrigins: [PAGE] });
        const answer = await handler(requestOf('localhost', { Origin: origin }, method));
        assert.equal(answer.status, 403);
        assert.equal(answer.headers.get('Access-Control-Allow-Origin'), null);
      });

  it('T-97: accepts only the names in allowedHosts, or only loopback names by default', async () => {
    const byDefault = mcpHandler({ bff: bff.url, allowedOrigins: [] });
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:8080'])
      assert.equal((await byDefault(requestOf(host))).status, 200, host);
    for (const host of ['mcp.example.com', 'localhost.evil.test', '10.0.0.1'])
      assert.equal((await byDefault(requestOf(host))).status, 403, host);
    const named = mcpHandler({ bff: bff.url, allowedOrigins: [], allowedHosts: ['mcp.example.com'] });
    assert.equal((await named(requestOf('mcp.example.com:8443'))).status, 200);
    assert.equal((await named(requestOf('localhost'))).status, 403);
  });

  it('T-97: checks the Host header, which reveals DNS rebinding', async () => {
    const handler = mcpHandler({ bff: bff.url, allowedOrigins: [] });
    assert.equal((await handler(requestOf('localhost', { Host: 'evil.test' }))).status, 403);
  });
});

describe('mcpHandler({ token })', () => {
  const getPulse = async (
    token: NonNullable<McpHandlerOptions['token']>,
    headers: Record<string, string> = {},
    mode: 'legacy' | 'auto' = 'legacy',
  ) => {
    await using served = await serveHandler({ bff: privateBff.url, token });
    const client = await connectClient(transportOf(served.url, headers), mode);
    const result = await call(client, 'get_pulse', { sourceId: 'src_1' });
    await client.close();
    return result;
  };

  it('sends a fixed token', async () => {
    const { isError, image } = await getPulse(goodToken());
    assert.deepEqual([isError, image?.mimeType], [false, 'image/png']);
  });

  it('calls the token function for each request', async () => {
    const tokenOf = (request: Request) => (request.headers.get('Cookie') === 'user=anna' ? goodToken() : undefined);
    for (const mode of ['legacy', 'auto'] as const)
      assert.equal((await getPulse(tokenOf, { Cookie: 'user=anna' }, mode)).isError, false);
    const { isError, text } = await getPulse(tokenOf);
    assert.ok(isError && text.includes('requires a token'), text);
  });

  it('reports that the token function failed, without the error’s message', async () => {
    const failing = () => Promise.reject(new Error('database password is hunter2'));
    const { isError, text } = await getPulse(failing);
    assert.ok(isError && text.includes('the function token of mcpHandler() failed'), text);
    assert.ok(!text.includes('hunter2'));
    assert.ok((await getPulse(() => 'a\nb')).text.includes('no token'));
  });
});

describe('Invalid options for mcpHandler()', () => {
  const good = { bff: 'https://pulse.test', allowedOrigins: [] };
  const wrong: Readonly<Record<string, readonly [options: object, message: RegExp]>> = {
    'no BFF': [{ allowedOrigins: [] }, /^bff: must be the public URL/],
    'a BFF that isn’t a URL': [{ ...good, bff: 'pulse.test' }, /^bff: must be the public URL/],
    'a BFF with a password': [{ ...good, bff: 'https://a:hunter2@pulse.test' }, /^bff: must be/],
    'a token over http': [{ ...good, bff: 'http://pulse.test', token: 'x' }, /^bff: must begin with https:/],
    'no origins': [{ bff: good.bff }, /^allowedOrigins must be an array/],
    'an origin with a path': [{ ...good, allowedOrigins: [`${PAGE}/`] }, /^allowedOrigins must be/],
    'every origin': [{ ...good, allowedOrigins: ['*'] }, /^allowedOrigins must be/],
    'a host with a port': [{ ...good, allowedHosts: ['mcp.example.com:80'] }, /^allowedHosts must be/],
    'a token with two lines': [{ ...good, token: 'a\nb' }, /^token: it contains characters that no token can have/],
    'an empty token': [{ ...good, token: '' }, /^token: the token is empty/],
    'a misspelled option': [{ ...good, allowedHost: ['a'] }, /^allowedHost isn’t an option of mcpHandler\(\)/],
  };
  for (const [title, [options, message]] of Object.entries(wrong))
    it(`are named in the error: ${title}`, () => {
      assert.throws(
        () => mcpHandler(options as McpHandlerOptions),
        (error: Error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /hunter2/);
          return true;
        },
      );
    });
});
