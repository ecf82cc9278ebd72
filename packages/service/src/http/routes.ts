import { pipeline } from 'node:stream/promises';
import { isSourceId, type PulseBody, type SourcesBody } from '@pulse-card/contract';
import type { Logger } from 'pino';
import { openapiYaml } from '../openapi/document.ts';
import type { PublicUrls } from '../public-urls.ts';
import { chartParts, chartSize, parseChartFileName } from '../pulses/chart.ts';
import { latestPulse } from '../pulses/latest-pulse.ts';
import { listSources } from '../sources/list-sources.ts';
import { type Database, pingDatabase } from '../sql/database.ts';
import { sendError } from './errors.ts';
import { keyOf, metaOf, type ServiceHandler, type ServiceResponse } from './request-context.ts';
import { sourcePage } from './source-page.ts';

/** `GET /v1/sources`: the sources of the key's account. */
export function sourcesRoute(db: Database, urls: PublicUrls): ServiceHandler {
  return async (_req, res) => {
    const sources = await listSources(db, keyOf(res).account.id, urls.source);
    const body: SourcesBody = { meta: metaOf(res), sources };
    res.json(body);
  };
}

/** `GET /v1/sources/{sourceId}/pulse`: the latest pulse of one source, or a 404 that doesn't reveal the reason. */
export function pulseRoute(db: Database, urls: PublicUrls): ServiceHandler {
  return async (req, res) => {
    const accountId = keyOf(res).account.id;
    const pulse = await latestPulse(db, { accountId, sourceId: String(req.params['sourceId']) }, urls.chart);
    if (pulse === undefined) return sendError(res, 'noPulse');
    const body: PulseBody = { meta: metaOf(res), pulse };
    res.json(body);
  };
}

/** `GET /v1/openapi.yaml`: the API description, which anyone may read. */
export function openapiRoute(urls: PublicUrls): ServiceHandler {
  let yaml: string | undefined;
  return (_req, res) => {
    yaml ??= openapiYaml(urls.base());
    res.setHeader('Cache-Control', 'no-cache');
    res.type('application/yaml').send(yaml);
  };
}

/** `GET /charts/{chart}.png`: a chart that any page may show. Its URL identifies its bytes, so it never changes. */
export function chartRoute(db: Database): ServiceHandler {
  return async (req, res) => {
    const chartId = parseChartFileName(String(req.params['file']));
    const size = chartId === undefined ? undefined : await chartSize(db, chartId);
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (chartId === undefined || size === undefined) return sendError(res, 'notFound');
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.setHeader('ETag', `"${chartId}"`);
    if (req.fresh) return void res.status(304).end();
    res.type('png').setHeader('Content-Length', size);
    if (req.method === 'HEAD') return void res.end();
    await sendParts(res, chartParts(db, chartId, size));
  };
}

/** Sends each part once the client has received the previous one. */
async function sendParts(res: ServiceResponse, parts: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pipeline(parts, res);
  } catch (error) {
    // A client that disconnects isn't an error.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  }
}

/** `GET /admin/sources/{sourceId}`: the target of a source's `link`, unless `PULSE_ADMIN_URL` specifies a dashboard. */
export function sourcePageRoute(): ServiceHandler {
  return (req, res) => {
    const sourceId = String(req.params['sourceId']);
    if (!isSourceId(sourceId)) return sendError(res, 'notFound');
    res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    res.setHeader('X-Robots-Tag', 'noindex');
    res.type('html').send(sourcePage(sourceId));
  };
}

/** `GET /healthz`: whether the service and its database respond. */
export function healthRoute(db: Database, log: Logger): ServiceHandler {
  return async (_req, res) => {
    try {
      await pingDatabase(db);
      res.json({ status: 'ok' });
    } catch (error) {
      log.error({ err: error }, 'Can’t reach the database');
      sendError(res, 'databaseUnreachable');
    }
  };
}
