import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import { serve } from './serve.ts';

/**
 * Bytes with a 1600 by 900 PNG's chunks: a header, filler, and an end. Only a decoder would notice that there is no
 * image.
 */
export function pngOf(bytes = 400, { width = 1_600, height = 900 } = {}): Buffer {
  const png = Buffer.alloc(bytes, 7);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(png);
  png.write('IHDR', 12);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(bytes - 57, 33);
  png.write('fiLL', 37);
  png.writeUInt32BE(0, bytes - 12);
  png.write('IEND', bytes - 8);
  return png;
}

export type FakeCdn = Awaited<ReturnType<typeof startFakeCdn>>;

/** Starts a chart host that records every request and responds as instructed, by default with a PNG. */
export async function startFakeCdn(server?: Server) {
  const arrivals: { url: string; headers: IncomingHttpHeaders }[] = [];
  let connections = 0;
  const served = await serve((request, response) => {
    arrivals.push({ url: request.url ?? '', headers: request.headers });
    cdn.answer(request, response);
  }, server);
  served.server.on('connection', () => (connections += 1));
  const sendPng: RequestListener = (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'image/png' }).end(pngOf());
  const cdn = {
    port: Number(new URL(served.url).port),
    arrivals,
    connections: () => connections,
    answer: sendPng,
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
  return cdn;
}
