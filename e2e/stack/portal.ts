import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type MintingKey, mintToken } from '@pulse-card/token';

/** The keys of tokens that portal and BFF share. */
export const TOKEN_KEYS_FILE = join(import.meta.dirname, 'token-keys.json');

/** A website with a login, whose backend mints tokens for those who are signed in. */
export interface Portal {
  readonly origin: string;
  /** The tokens that it gave away. */
  readonly minted: readonly string[];
  close(): Promise<void>;
}

/** What a portal is opened with. */
export interface PortalOptions {
  readonly port: number;
  readonly bffUrl: string;
  /** What its readers may see. */
  readonly sources: readonly string[];
  /** What is on its page, whoever may see it. */
  readonly shown: readonly string[];
  readonly lifeSeconds?: number;
}

const SESSION = 'session=signed-in';

/** Opens a portal: `/` is its page, `/login` signs in, `/pulse-token` mints. */
export async function openPortal(options: PortalOptions): Promise<Portal> {
  const { port, bffUrl, sources, lifeSeconds = 300 } = options;
  const origin = `http://localhost:${port}`;
  const minted: string[] = [];
  const [key] = JSON.parse(readFileSync(TOKEN_KEYS_FILE, 'utf8')) as MintingKey[];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/login') {
      response.writeHead(303, { 'Set-Cookie': `${SESSION}; HttpOnly; SameSite=Lax`, Location: '/' }).end();
    } else if (request.url === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(pageOf(options));
    } else if (request.url !== '/pulse-token' || key === undefined) {
      response.writeHead(404).end();
    } else if (!request.headers.cookie?.includes(SESSION)) {
      response.writeHead(401).end();
    } else {
      const token = await mintToken(key, { audience: bffUrl, sources, origins: [origin], lifeSeconds });
      minted.push(token);
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' }).end(token);
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    origin,
    minted,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function pageOf({ bffUrl, shown }: PortalOptions): string {
  const cards = shown.map((id) => `<pulse-card source-id="${id}" loading="eager"></pulse-card>`);
  return `<!doctype html><html lang="en"><title>Portal</title>
${cards.join('\n')}
<script>
  const tokenProvider = async () => {
    const answer = await fetch('/pulse-token');
    if (!answer.ok) throw new Error('Cannot get a token: not signed in');
    return answer.text();
  };
  for (const card of document.querySelectorAll('pulse-card')) card.tokenProvider = tokenProvider;
</script>
<script type="module" src="${bffUrl}/pulse-card.js"></script></html>`;
}
