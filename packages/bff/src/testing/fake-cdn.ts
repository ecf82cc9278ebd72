import type { RequestListener, Server } from 'node:http';
import { type FakeService, startFakeService } from './fake-service.ts';

/** Bytes with the chunks of a 1600 by 900 PNG: its header, filler, and its end. Only a decoder would notice. */
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

/** An image host that answers as instructed and records every request. */
export interface FakeCdn extends FakeService {
  readonly host: string;
}

export const sendPng =
  (png: Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': String(png.length), ...headers });
    response.end(png);
  };

export async function startFakeCdn(server?: Server): Promise<FakeCdn> {
  const service = await startFakeService(sendPng(pngOf()), server);
  return Object.assign(service, { host: new URL(service.url).host });
}
