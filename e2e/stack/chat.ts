import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import type { Page } from '@playwright/test';
import { mcpHandler } from '@pulse-card/mcp';
import type { Stack } from '@pulse-card/testkit/stack';
import { build } from 'esbuild';
import type { HostContext } from './chat-host.ts';

/**
 * The app's policy. SEP-1865 requires a policy for an app without domains. This one is stricter, because it doesn't
 * even allow the app's origin.
 */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-src 'none'; object-src 'none'; base-uri 'none'";

/**
 * The page between the host and the app. The page has a different origin, writes the app into a frame, and forwards
 * messages.
 */
const SANDBOX = `<!doctype html><meta charset="utf-8"><title>Sandbox</title>
<style>html, body, iframe { display: block; margin: 0; border: 0; width: 100%; height: 100% } html { color-scheme: light dark }</style>
<body><script>
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts allow-same-origin';
  document.body.append(frame);
  addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow) parent.postMessage(data, '*');
    else if (data.method !== 'ui/notifications/sandbox-resource-ready') frame.contentWindow.postMessage(data, '*');
    else {
      frame.contentDocument.open();
      frame.contentDocument.write(data.params.html);
      frame.contentDocument.close();
    }
  });
  parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; padding: 24px; background: light-dark(#faf9f5, #262624); color: light-dark(#1f1e1d, #f5f4ef) }
  p { margin: 0 0 24px auto; padding: 8px 16px; width: fit-content; border-radius: 16px; background: light-dark(#eeece2, #141413) }
  iframe { border: 0; width: 100% }
</style>
<p>How is employment doing?</p>
<main></main>
<script type="module" src="/chat-host.js"></script></html>`;

const script = build({
  entryPoints: [join(import.meta.dirname, 'chat-host.ts')],
  bundle: true,
  format: 'esm',
  write: false,
}).then(({ outputFiles }) => outputFiles[0]?.text ?? '');

/** Opens a chat client in `page`. In the chat, the `get_pulse` app shows a pulse. */
export async function openChat(
  page: Page,
  { site, bffUrl }: Stack,
  sourceId: string,
  context: HostContext,
): Promise<void> {
  const listener = toNodeHandler({ fetch: mcpHandler({ bff: bffUrl, allowedOrigins: [site.origin] }) });
  const server = createServer((request, response) => {
    if (request.url !== '/sandbox') return void listener(request as NodeIncomingMessageLike, response);
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': POLICY });
    return void response.end(SANDBOX);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  page.once('close', () => {
    server.closeAllConnections();
    server.close();
  });
  site.put('/chat-host.js', await script, { 'content-type': 'text/javascript' });
  await page.emulateMedia({ colorScheme: context.theme ?? null });
  await page.goto(site.put('/chat', PAGE));
  await page.waitForFunction(() => 'chat' in window);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = { mcpUrl: `${origin}/mcp`, sandboxUrl: `${origin}/sandbox`, sourceId, context };
  await page.evaluate((shown) => window.chat.show(shown), call);
}
