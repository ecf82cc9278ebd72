import type { StudioSettings } from '@pulse-card/bff';
import type { PulseOutcome, PulsesAnswer, SourcesAnswer } from '@pulse-card/contract';
import type { PreviewData } from '../../preview/preview-data.ts';
import { STUDIO_URL } from './studio-url.ts';

/** Whether these pages are static files that show the demo's charts without a BFF. */
export const IS_PREVIEW: boolean = import.meta.env.MODE === 'preview';

const API = new URL('api/', STUDIO_URL).href;
const DATA = new URL('preview/pulses.json', STUDIO_URL);

/** Placeholder settings for the user's own BFF, which the code shows. */
const CONFIG: StudioSettings = {
  publicUrl: 'https://pulse.example.com',
  allowedOrigins: [],
  ownOrigins: ['https://pulse.example.com'],
  access: 'public',
  images: { mode: 'direct', hosts: ['cdn.example.com'] },
  sources: { listed: true, ids: [] },
  script: null,
};

/** Serves this page's requests for the Studio's data from the preview's files. */
export function answerFromFiles(): void {
  const realFetch = globalThis.fetch;
  let loaded: Promise<PreviewData> | undefined;
  const data = () =>
    (loaded ??= realFetch(DATA).then(async (response) => asOfNow((await response.json()) as PreviewData)));
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input, location.href).href;
    if (!url.startsWith(API)) return realFetch(input, init);
    const body = url === `${API}config` ? CONFIG : answerOf(url.slice(API.length), await data());
    return body === undefined ? Response.json({}, { status: 404 }) : Response.json(body);
  };
}

/** The response that a BFF with these pulses would send, or undefined if the preview has no response. */
function answerOf(path: string, { now, sources, pulses }: PreviewData): unknown {
  const { pathname, searchParams } = new URL(path, API);
  const route = pathname.slice(new URL(API).pathname.length);
  const meta = { requestedAt: now, stale: false };
  if (route === 'bff/v1/sources') return { meta, sources: [...sources] } satisfies SourcesAnswer;
  if (route === 'bff/v1/pulses') {
    const ids = (searchParams.get('ids') ?? '').split(',');
    return { meta, pulses: ids.map((id) => outcomeOf(id, pulses)) } satisfies PulsesAnswer;
  }
  const [, id] = /^bff\/v1\/sources\/([^/]+)\/pulse$/.exec(route) ?? [];
  const outcome = id === undefined ? undefined : outcomeOf(decodeURIComponent(id), pulses);
  return outcome?.ok ? outcome : undefined;
}

function outcomeOf(sourceId: string, pulses: readonly PulseOutcome[]): PulseOutcome {
  const known = pulses.find((outcome) => outcome.sourceId === sourceId);
  return known ?? { sourceId, ok: false, error: 'Unknown source', code: 'source_unknown' };
}

/** The data with absolute chart URLs and with all times moved forward by the build's age. */
function asOfNow({ now, sources, pulses }: PreviewData): PreviewData {
  const laterMs = Date.now() - Date.parse(now);
  const later = (time: string) => new Date(Date.parse(time) + laterMs).toISOString();
  return {
    now: later(now),
    sources,
    pulses: pulses.map((outcome) => {
      if (!outcome.ok) return outcome;
      const { completedAt, imageUrl } = outcome.pulse;
      const pulse = {
        ...outcome.pulse,
        completedAt: completedAt && later(completedAt),
        imageUrl: imageUrl && new URL(imageUrl, DATA).href,
      };
      return { ...outcome, meta: { ...outcome.meta, requestedAt: later(outcome.meta.requestedAt) }, pulse };
    }),
  };
}
