import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import type { Page } from '@playwright/test';
import { mcpHandler } from '@pulse-card/mcp';
import type { Stack } from '@pulse-card/testkit/stack';
import { build } from 'esbuild';
import type { HostContext } from './chat-host.ts';

/** Stricter than what a host must use for an app that declares no domains (SEP-1865): nothing is the app's own. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-src 'none'; object-src 'none'; base-uri 'none'";

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

/** Opens a chat client in `page`, in which the app of `get_pulse` shows a pulse. */
export async function openChat(
  page: Page,
  { site, bffUrl }: Stack,
  sourceId: string,
  context: HostContext,
): Promise<void> {
  const listener = toNodeHandler({ fetch: mcpHandler({ bff: bffUrl, allowedOrigins: [site.origin] }) });
  const server = createServer((request, response) => void listener(request as NodeIncomingMessageLike, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  page.once('close', () => {
    server.closeAllConnections();
    server.close();
  });
  site.put('/chat-host.js', await script, { 'content-type': 'text/javascript' });
  await page.emulateMedia({ colorScheme: context.theme ?? null });
  await page.goto(site.put('/chat', PAGE));
  await page.waitForFunction(() => 'chat' in window);
  const mcpUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  await page.evaluate((call) => window.chat.show(call), { mcpUrl, sourceId, context, policy: POLICY });
}
