import type { Client as McpClient, Transport, VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { Pulse } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { startFakeCdn } from '../../../bff/src/testing/fake-cdn.ts';
import { cardWithPulse, hit, serveApp, staleHit } from '../../../bff/src/testing/served-app.ts';
import type { BffOptions } from '../bff-client.ts';
import { createPulseServer } from '../mcp-server.ts';
import { Client, InMemoryTransport } from './client.ts';

/** A BFF served over HTTP, with a host for its charts. A test sets the pulse. */
export async function serveBffWithChart(variables: Readonly<Record<string, string>> = {}) {
  const cdn = await startFakeCdn();
  const cdnHost = `127.0.0.1:${cdn.port}`;
  const app = await serveApp({
    PULSE_IMAGES: 'proxy',
    PULSE_IMAGE_HOSTS: cdnHost,
    PULSE_CLIENT_RATE: '0',
    ...variables,
  });
  let charts = 0;
  return {
    url: app.url,
    app,
    cdn,
    /** Sets `src_1`'s pulse. Its chart's URL is new, so that the chart isn't in any cache. */
    show(fields: Partial<Pulse> = {}, { stale = false } = {}) {
      const imageUrl = `http://${cdnHost}/chart.png?number=${(charts += 1)}`;
      const snapshot = { ...cardWithPulse, pulse: { ...fullPulse, imageUrl, ...fields } };
      app.pulses.found.set('src_1', stale ? staleHit(snapshot) : hit(snapshot));
    },
    async [Symbol.asyncDispose]() {
      for (const served of [app, cdn]) await served[Symbol.asyncDispose]();
    },
  };
}

/** The SDK's client, connected over a transport. */
export async function connectClient(transport: Transport, mode: VersionNegotiationMode = 'legacy'): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

/** The SDK's client, connected to a server for a BFF in this process. */
export async function connectTo(options: BffOptions, now?: () => number): Promise<McpClient> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createPulseServer(options, now).connect(serverSide);
  return connectClient(clientSide);
}

/** A tool's result: the text, the image, and the structured content. */
export async function call(client: McpClient, name: string, input: Record<string, unknown> = {}) {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input });
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const image = content.find((block) => block.type === 'image');
  return { text, image, isError, structured: structuredContent as Record<string, unknown> | undefined };
}
