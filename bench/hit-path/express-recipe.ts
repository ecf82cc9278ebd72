import express from 'express';
import { createProxyMiddleware, responseInterceptor } from 'http-proxy-middleware';
import { LRUCache } from 'lru-cache';

// What one finds when looking for "Express proxy with a cache that hides an API key": each part by its own manual.
const target = process.env['PULSE_BASE_URL'] ?? '';
const key = process.env['PULSE_API_KEY'] ?? '';
const cache = new LRUCache<string, string>({ max: 500, ttl: 15_000 });
const app = express();

app.get('/v1/sources/:sourceId/pulse', (req, res, next) => {
  const cached = cache.get(req.originalUrl);
  if (cached === undefined) return next();
  res.set('Cache-Control', 'public, max-age=5').set('X-Cache', 'HIT').type('json').send(cached);
});

app.use(
  createProxyMiddleware({
    target,
    changeOrigin: true,
    headers: { 'X-API-Key': key },
    selfHandleResponse: true,
    on: {
      proxyRes: responseInterceptor(async (body, upstream, req) => {
        const { pulse } = JSON.parse(body.toString()) as { pulse?: unknown };
        const cached = JSON.stringify({ pulse });
        if (upstream.statusCode === 200) cache.set(req.url ?? '', cached);
        return cached;
      }),
    },
  }),
);

app.listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
