import type { PulsesAnswer } from '@pulse-card/contract';
import { BFF_URL, STUDIO_URL } from '../shell/studio-url.ts';
import { followPermalinks } from './permalinks.ts';
import { SAMPLE_ANSWER } from './sample-pulse.ts';
import { isStandInState, standInAnswer, type StandInResponse, standInRuns } from './stand-in.ts';

const PREFIX = new URL('stand-in/', STUDIO_URL).href;

let isInstalled = false;

/**
 * The `base-url` that puts a card into a state. For `fresh`, it is the BFF's own URL, unless the card shows the
 * sample.
 */
export function baseUrlFor(state: string, sourceId: string): string {
  return state === 'fresh' && sourceId !== SAMPLE_ANSWER.sourceId ? BFF_URL : `${PREFIX}${state}`;
}

/**
 * Responds to the cards on this page whose `base-url` is `baseUrlFor(…)`. States that a healthy BFF can't produce are
 * simulated without a request.
 */
export function installStandIn(): void {
  if (isInstalled) return;
  isInstalled = true;
  keepConsoleForRealFaults();
  followPermalinks();
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input, location.href).href;
    return url.startsWith(PREFIX) ? answer(url.slice(PREFIX.length), realFetch, init) : realFetch(input, init);
  };
}

/** Suppresses the cards' warnings about simulated failures. */
function keepConsoleForRealFaults(): void {
  // eslint-disable-next-line no-console -- the card logs to it
  const { warn } = console;
  console.warn = (...data: unknown[]) => {
    if (!String(data[0]).includes('stand-in/')) warn(...data);
  };
}

async function answer(path: string, realFetch: typeof fetch, init: RequestInit | undefined): Promise<Response> {
  const [, state = '', rest = ''] = /^([^/]+)(\/.*)$/.exec(path) ?? [];
  const [, ofRuns] = /^\/v1\/sources\/([^/]+)\/runs$/.exec(rest) ?? [];
  if (state === 'history' && ofRuns !== undefined)
    return responseOf(standInRuns(await knownAnswer([ofRuns], `/v1/pulses?ids=${ofRuns}`, realFetch)));
  if (!isStandInState(state) || !rest.startsWith('/v1/pulses')) return realFetch(BFF_URL + rest, init);
  const ids = (new URLSearchParams(rest.split('?')[1]).get('ids') ?? '').split(',');
  return responseOf(await standInAnswer(state, ids, () => knownAnswer(ids, rest, realFetch)));
}

function responseOf({ status, headers, body }: StandInResponse): Response {
  return new Response(body, { status, headers });
}

/** The BFF's responses. A sample replaces each missing pulse, so that every state can be shown. */
async function knownAnswer(ids: readonly string[], path: string, realFetch: typeof fetch): Promise<PulsesAnswer> {
  const response = await realFetch(BFF_URL + path).catch(() => undefined);
  const real = response?.ok ? ((await response.json()) as PulsesAnswer) : { meta: SAMPLE_ANSWER.meta, pulses: [] };
  const pulses = ids.map((sourceId) => {
    const outcome = real.pulses.find((found) => found.sourceId === sourceId);
    return outcome?.ok ? outcome : { ...SAMPLE_ANSWER, sourceId, pulse: { ...SAMPLE_ANSWER.pulse, sourceId } };
  });
  return { meta: real.meta, pulses };
}
