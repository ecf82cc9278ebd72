import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A caching image proxy like GitHub's camo, which serves every image in a README. */
export interface ImageProxy extends AsyncDisposable {
  /** The URL from which readers load the image at `address`. */
  urlOf(address: string): string;
}

interface StoredImage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request headers that camo sends and the response headers that it preserves. */
const ASKED_WITH = {
  Accept: 'image/png,image/*',
  'User-Agent': 'Camo Asset Proxy 2.3.0',
  Via: 'Camo Asset Proxy 2.3.0',
};
const KEPT_HEADERS = ['content-type', 'cache-control', 'etag', 'expires', 'last-modified'];

/** The cache policy that camo sets for an image without one, which caches the image for a year. */
const DEFAULT_POLICY = 'public, max-age=31536000';

/** Starts an image proxy on a free port. It requests an image again only if the image's own headers require it. */
export async function startImageProxy(): Promise<ImageProxy> {
  const stored = new Map<string, StoredImage>();

  async function imageAt(address: string): Promise<StoredImage> {
    const known = stored.get(address);
    if (known !== undefined && !/no-cache|no-store|max-age=0/.test(known.headers['cache-control'] ?? '')) return known;
    const condition = known?.headers['etag'] === undefined ? {} : { 'If-None-Match': known.headers['etag'] };
    const answer = await fetch(address, { headers: { ...ASKED_WITH, ...condition }, redirect: 'error' });
    if (answer.status === 304 && known !== undefined) return known;
    if (answer.status !== 200 || !answer.headers.get('content-type')?.startsWith('image/'))
      throw new Error(`No image at ${address}: ${answer.status}`);
    const kept = KEPT_HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const headers = { 'cache-control': DEFAULT_POLICY, ...(Object.fromEntries(kept) as Record<string, string>) };
    const image = { body: Buffer.from(await answer.arrayBuffer()), headers };
    stored.set(address, image);
    return image;
  }

  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://proxy').searchParams.get('url') ?? '';
    imageAt(address).then(
      ({ body, headers }) => response.writeHead(200, headers).end(body),
      (error: Error) => response.writeHead(404).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (address) => `http://localhost:${port}/?url=${encodeURIComponent(address)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
