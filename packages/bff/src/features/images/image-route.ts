import { type CacheScope, IMMUTABLE, MOUNTED } from '../../http/cache-scope.ts';
import { ApiError } from '../../http/errors.ts';
import { queryOf, type SourceHandler } from '../../http/locals.ts';
import { type DataParts, findPulse, pulseOfRun } from '../../http/routes/pulse.ts';
import { entityTagOf, isNoneMatch, recordHit, sendBytes, setCacheControl } from '../../http/send.ts';
import type { Images } from './images.ts';

/**
 * The `Cache-Control` for one run's chart. It allows one reader to store the chart for the lifetime of the signed URL.
 */
const PRIVATE_RUN = 'private, max-age=7200, immutable';

/** Headers that let a browser display the chart but do nothing else with it. */
const IMAGE_HEADERS = {
  'Content-Type': 'image/png',
  'Content-Disposition': 'inline; filename="pulse.png"',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Accept-Ranges': 'none',
};

/**
 * `GET /v1/sources/:sourceId/image`: the latest chart, whose URL never changes, or with `run` the chart of that run.
 */
export function sendImage(parts: DataParts & { readonly images: Images }): SourceHandler {
  const { images } = parts;
  return async (req, res) => {
    const run = queryOf(req).get('run') || undefined;
    // A page that specifies a run has already requested the pulse, and that request counted as a view.
    if (run !== undefined) res.locals.viewer = null;
    const hit = await findPulse(req.params.sourceId, res, parts);
    const { jobRunId, imageUrl } = pulseOfRun(hit, run, parts);
    if (imageUrl === null) throw new ApiError('not_found', { error: 'This pulse has no chart' });
    const url = images.hosts.allowed(imageUrl);
    if (url === undefined) throw new ApiError('upstream_invalid', { detail: 'chart host' });
    // The bytes of a run's chart never change.
    const tag = entityTagOf(jobRunId);
    const chart = isNoneMatch(req, res, tag) ? NOT_READ : await images.read(jobRunId, url);
    if (!chart.ok) throw new ApiError(chart.code, { detail: chart.cause });
    setCacheControl(res, 'Cache-Control', cacheControlOf(run, res.locals.scope));
    recordHit(res, hit);
    // Tells the card which run the chart on the page belongs to. If the chart is public, any page can read this.
    res.setHeader('Server-Timing', `run;desc="${encodeURIComponent(jobRunId)}"`);
    if (res.locals.scope === 'shared') res.setHeader('Timing-Allow-Origin', '*');
    const { bytes } = chart;
    sendBytes(req, res, { bytes, tag, headers: { ...IMAGE_HEADERS, 'Content-Length': bytes.length } });
  };
}

function cacheControlOf(run: string | undefined, scope: CacheScope): string {
  if (scope === 'mounted') return MOUNTED;
  if (run !== undefined) return scope === 'private' ? PRIVATE_RUN : IMMUTABLE;
  return scope === 'private' ? 'private, no-cache' : 'no-cache';
}

/** Readers who already have the chart aren't sent its bytes. */
const NOT_READ = { ok: true, bytes: Buffer.alloc(0) } as const;
