import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import compression from 'compression';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { Sample } from './servers.ts';

// The server that an Express developer would write in an afternoon: a cache, a limit per client, compression, and
// `res.json` for each request. It sends the BFF's response with the same headers. PORT is its port, and SAMPLE is the
// response.
const { headers, bodyBase64 } = JSON.parse(process.env['SAMPLE'] ?? '{}') as Sample;
const packed = Buffer.from(bodyBase64, 'base64');
const decode = headers['content-encoding'] === 'br' ? brotliDecompressSync : gunzipSync;

const cache = new LRUCache<string, { readonly headers: Record<string, string>; readonly body: object }>({ max: 1_000 });
const ofTheBody = new Set(['content-encoding', 'content-length', 'content-type']);
const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheBody.has(name)));
cache.set('src_001', { headers: kept, body: JSON.parse(decode(packed).toString()) as object });

const app = express().disable('x-powered-by');
app.use(rateLimit({ windowMs: 60_000, limit: 10_000_000, legacyHeaders: false, standardHeaders: false }));
app.use(compression());
app.get('/v1/sources/:id/pulse', (request, response) => {
  const entry = cache.get(request.params.id);
  if (entry === undefined) response.status(404).json({ success: false, error: 'No such source' });
  else response.set(entry.headers).json(entry.body);
});
app.listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
