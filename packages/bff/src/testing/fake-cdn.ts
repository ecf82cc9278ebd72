import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, type Served } from './serve.ts';

/** A PNG of 1600 by 900, as far as anyone looks who does not decode it. */
export function pngOf(bytes = 400, { width = 1_600, height = 900 } = {}): Buffer {
  const png = Buffer.alloc(bytes, 7);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(png);
  png.write('IHDR', 12);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A host of images that answers as it is told and remembers every request. */
export interface FakeCdn extends Served {
  readonly host: string;
  readonly arrivals: { method: string; url: string; rawHeaders: readonly string[] }[];
  answer: Answer;
  /** How many connections were ever made. */
  connections(): number;
}

export const sendPng =
  (png: Buffer, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': String(png.length), ...headers });
    response.end(png);
  };

export async function startFakeCdn(): Promise<FakeCdn> {
  let connections = 0;
  const server = createServer().on('connection', () => (connections += 1));
  const served = await serve((request, response) => {
    cdn.arrivals.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders });
    cdn.answer(request, response);
  }, server);
  const cdn: FakeCdn = {
    ...served,
    host: new URL(served.url).host,
    arrivals: [],
    answer: sendPng(pngOf()),
    connections: () => connections,
  };
  return cdn;
}
