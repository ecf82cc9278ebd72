import { type CacheScope, IMMUTABLE } from '../../http/cache-scope.ts';
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
    const pulse = pulseOfRun(hit, run, parts);
    const { jobRunId, imageUrl } = pulse;
    if (imageUrl === null) throw new ApiError('not_found', { error: 'This pulse has no chart' });
    // Any error from here on is the chart's, not the pulse's.
    res.locals.record.cache = hit.cache;
    const url = images.hostUrlOf(imageUrl);
    // The bytes of a run's chart never change, so a reader who already has them gets a 304 without them.
    const tag = entityTagOf(jobRunId);
    const bytes = isNoneMatch(req, res, tag) ? Buffer.alloc(0) : await images.read(jobRunId, url);
    setCacheControl(res, 'Cache-Control', cacheControlOf(run, res.locals.scope));
    recordHit(res, hit);
    // Tells the card which run the chart on the page belongs to. If the chart is public, any page can read this.
    res.setHeader('Server-Timing', `run;desc="${encodeURIComponent(jobRunId)}"`);
    if (res.locals.scope === 'shared') res.setHeader('Timing-Allow-Origin', '*');
    sendBytes(req, res, { bytes, tag, headers: { ...IMAGE_HEADERS, 'Content-Length': bytes.length } });
  };
}

function cacheControlOf(run: string | undefined, scope: CacheScope): string {
  if (run === undefined || scope === 'mounted') return scope === 'shared' ? 'no-cache' : 'private, no-cache';
  return scope === 'private' ? PRIVATE_RUN : IMMUTABLE;
}
