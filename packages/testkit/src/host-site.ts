import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

/** A website on a separate origin that serves a test's pages. */
export interface HostSite {
  readonly origin: string;
  /** Puts a page on the site and returns its URL. */
  put(path: string, html: string, headers?: Readonly<Record<string, string>>): string;
  /**
   * Puts a folder's pages, scripts, and style sheets on the site, below `path`. `edit` changes the text of each file.
   */
  putFolder(path: string, folder: string, edit?: (text: string) => string): void;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Opens a website on `port`. */
export async function openHostSite(port: number): Promise<HostSite> {
  const origin = `http://localhost:${port}`;
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>();
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '/', origin).pathname);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': TYPES['.html'], ...page?.headers });
    response.end(page?.html);
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  const put: HostSite['put'] = (path, html, headers = {}) => {
    pages.set(path, { html, headers });
    return origin + path;
  };
  return {
    origin,
    put,
    putFolder(path, folder, edit = (text) => text) {
      for (const file of globSync('**/*.{html,js,css}', { cwd: folder }))
        put(`${path}/${file}`, edit(readFileSync(join(folder, file), 'utf8')), {
          'content-type': TYPES[extname(file)] ?? '',
        });
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
