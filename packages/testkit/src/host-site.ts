import { createServer } from 'node:http';

/** A website on a separate origin that serves a test's pages. */
export interface HostSite {
  readonly origin: string;
  /** Puts a page on the site and returns its address. */
  put(path: string, html: string, headers?: Readonly<Record<string, string>>): string;
  close(): Promise<void>;
}

/** Opens a website on `port`. */
export async function openHostSite(port: number): Promise<HostSite> {
  const origin = `http://localhost:${port}`;
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '/', origin).pathname);
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      ...page?.headers,
    });
    response.end(page?.html);
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    origin,
    put(path, html, headers = {}) {
      pages.set(path, { html, headers });
      return origin + path;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
