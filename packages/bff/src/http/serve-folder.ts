import type { Readable } from 'node:stream';
import type { RequestHandler } from 'express';
import sirv, { type Options } from 'sirv';
import { acceptedEncoding } from './send.ts';

/** Serves the files in a folder. Adds what sirv lacks: weights such as `br;q=0`, and the end of each file it opens. */
export function serveFolder(folder: string, options: Options): RequestHandler {
  const serve = sirv(folder, { brotli: true, gzip: true, etag: true, ...options });
  return (req, res, next) => {
    const onFile = (file: Readable): void => {
      // Without file descriptors, for example, a file can't be read. An unhandled error would end the process.
      file.once('error', () => res.destroy());
      // A reader can leave before the file is sent.
      res.once('close', () => file.destroy());
    };
    res.once('pipe', onFile);
    req.headers['accept-encoding'] = acceptedEncoding(req);
    serve(req, res, () => {
      res.off('pipe', onFile);
      next();
    });
  };
}
