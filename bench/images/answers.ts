import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

const MEBIBYTE = 1024 * 1024;
const PNG_TYPE = { 'Content-Type': 'image/png' };

/** A PNG as far as anyone looks who does not decode it. */
function pngOf(bytes: number, width = 1_600, height = 900): Buffer {
  const png = Buffer.alloc(bytes, 7);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(png);
  png.write('IHDR', 12);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

function withText(text: string): Buffer {
  const png = pngOf(400);
  png.write(text);
  return png;
}

type Answer = (response: ServerResponse) => void;

const sends =
  (body: Buffer | string, headers: Record<string, string> = {}, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { ...PNG_TYPE, 'Content-Length': Buffer.byteLength(body), ...headers }).end(body);

/** What a host of images answers, good under `/good`, else as the last part of the path says. */
export function answersOf(trapPort: () => number): RequestListener {
  const trap = (): string => `http://127.0.0.1:${trapPort()}/`;
  const answers: Readonly<Record<string, Answer>> = {
    good: sends(pngOf(60_000), { 'Set-Cookie': 'a=b', Server: 'cdn', 'X-Cache': 'HIT' }),
    refresh: (response) => sends('', { Refresh: `0;url=${trap()}` })(response),
    'long-said': sends(pngOf(6 * MEBIBYTE)),
    'long-chunked': (response) => void response.writeHead(200, PNG_TYPE).end(pngOf(6 * MEBIBYTE)),
    endless: writeEndlessly,
    slow: writeSlowly,
    timeOut: () => {},
    packed: sends(gzipSync(Buffer.alloc(5 * MEBIBYTE)), { 'Content-Encoding': 'gzip' }),
    'said-packed': sends(pngOf(400), { 'Content-Encoding': 'gzip' }),
    short: (response) =>
      void response
        .writeHead(200, { ...PNG_TYPE, 'Content-Length': '9999' })
        .write(pngOf(500), () => response.destroy()),
    svg: sends('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    html: sends('<!doctype html><script>alert(1)</script>'.padEnd(200)),
    'html-sized': sends(withText('<html>')),
    gif: sends('GIF89a'.padEnd(200)),
    empty: sends(''),
    signature: sends(pngOf(400).subarray(0, 12)),
    pixels: sends(pngOf(400, 65_535, 65_535)),
    'two-types': sends(pngOf(400), { 'Content-Type': 'image/png, text/html' }),
    'type-more': sends(pngOf(400), { 'Content-Type': 'image/png;text/html' }),
    'type-percent': sends(pngOf(400), { 'Content-Type': 'image/png%' }),
    'type-html': sends(pngOf(400), { 'Content-Type': 'text/html' }),
    'status-404': sends(pngOf(400), {}, 404),
  };
  return ({ url = '' }, response) => {
    const name = url.split('/').at(-1) ?? '';
    const status = /^redirect-(\d+)$/.exec(name)?.[1];
    if (status !== undefined) response.writeHead(Number(status), { Location: trap() }).end();
    else (answers[name] ?? sends('', {}, 404))(response);
  };
}

function writeEndlessly(response: ServerResponse): void {
  response.writeHead(200, PNG_TYPE).write(pngOf(400));
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(Buffer.alloc(256 * 1024))) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

function writeSlowly(response: ServerResponse): void {
  response.writeHead(200, PNG_TYPE);
  const bytes = [...pngOf(400)];
  const timer = setInterval(() => response.write(Buffer.from([bytes.shift() ?? 0])), 1_000);
  response.once('close', () => clearInterval(timer));
}
