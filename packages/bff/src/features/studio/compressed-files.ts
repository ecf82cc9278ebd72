import { existsSync, readdirSync } from 'node:fs';
import { extname, sep } from 'node:path';
import type { RequestHandler } from 'express';
import { acceptedEncoding, type Encoding } from '../../http/representation.ts';

/** The extensions of compressed files. */
const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/**
 * Middleware for compressed files. If the client accepts compression, the next file server sends the `.br` or `.gz`
 * file that a build wrote into `folder`.
 */
export function compressedFiles(folder: string): RequestHandler {
  const files = new Set(existsSync(folder) ? filesIn(folder) : []);
  return (request, response, next) => {
    const file = request.path.slice(1).replace(/(?<=^|\/)$/, 'index.html');
    if (!files.has(`${file}.br`) && !files.has(`${file}.gz`)) return next();
    response.vary('Accept-Encoding');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    const compressed = file + ENDINGS[encoding];
    if (encoding === 'identity' || !files.has(compressed)) return next();
    response.type(extname(file)).setHeader('Content-Encoding', encoding);
    request.url = `/${compressed}`;
    return next();
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll(sep, '/'));
}
