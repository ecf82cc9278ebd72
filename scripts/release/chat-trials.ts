import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Consumer } from '../../packages/testkit/src/registry/consumer.ts';
import { freePort } from '../free-port.ts';
import { ROOT } from '../run.ts';
import type { Results } from './results.ts';

/** Requests a pulse and its app from a server. Uses the SDK's client, and the transport that `open` returns. */
const clientScript = (imports: string, open: string): string => `import { Client } from '@modelcontextprotocol/client';
${imports}
const client = new Client({ name: 'rehearsal', version: '1.0.0' });
await client.connect(${open});
const { content } = await client.callTool({ name: 'get_pulse', arguments: { sourceId: 'src_us_employment' } });
const [{ uri }] = (await client.listResources()).resources;
const [{ text }] = (await client.readResource({ uri })).contents;
await client.close();
console.log(content.map(({ type }) => type).join(' and ') + ', app of ' + Math.round(text.length / 1000) + ' kB');
`;

const OVER_STDIO = clientScript(
  `import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';`,
  `new StdioClientTransport({ command: 'npx', args: ['pulse-mcp', '--bff', process.env.BFF], env: { ...process.env } })`,
);
const OVER_HTTP = clientScript(
  `import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';`,
  `new StreamableHTTPClientTransport(new URL(process.env.MCP))`,
);

/** Runs the MCP server with npx, and runs the sample from its README in an Express application. */
export async function tryChat(consumer: Consumer, results: Results, bffUrl: string): Promise<void> {
  await results.try('mcp', 'npm install @pulse-card/mcp, with nothing else', async () => {
    await consumer.install('@pulse-card/mcp');
    const [size] = (await consumer.run('du', ['-sm', 'node_modules'])).split('\t');
    return `${size} MB`;
  });
  const sdk = ['client', 'node', 'server'].map((name) => `@modelcontextprotocol/${name}`);
  await consumer.install(...sdk, 'express');
  await results.try('mcp', 'npx pulse-mcp, with the SDK’s client', async () => {
    consumer.write('stdio.js', OVER_STDIO);
    return isComplete(await consumer.run('node', ['stdio.js'], { BFF: bffUrl }));
  });
  await results.try('mcp', 'the sample in the README, with the SDK’s client', async () => {
    const port = await freePort();
    consumer.write('http.js', OVER_HTTP);
    consumer.write('sample.js', sampleFor(bffUrl, port));
    // The readiness check sends a GET request, as a browser does, which the handler answers with an error.
    await consumer.serve('node', ['sample.js'], `http://127.0.0.1:${port}/mcp`, {});
    return isComplete(await consumer.run('node', ['http.js'], { MCP: `http://127.0.0.1:${port}/mcp` }));
  });
}

function isComplete(said: string): string {
  // The pulses in this test have no chart.
  if (!said.startsWith('text, app of ')) throw new Error(said);
  return said.trim();
}

/** The sample in the README, with the address of this BFF and a free port. */
function sampleFor(bffUrl: string, port: number): string {
  const readme = readFileSync(join(ROOT, 'packages/mcp/README.md'), 'utf8');
  const [, sample = ''] = /^```ts\n([^]*?)^```$/m.exec(readme) ?? [];
  return sample
    .replace('https://pulse.example.com', bffUrl)
    .replace('mcp.example.com', '127.0.0.1')
    .replace('3000', String(port));
}
