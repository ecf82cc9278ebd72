import { BATCH_SIZE, isLoopbackHost } from '@pulse-card/contract';
import { baseOf, type DoctorSettings, type PageFacts, withoutSlash } from './facts.ts';
import { errorFinding, type Finding } from './finding.ts';
import { sourceIdsOn } from './rules/tags.ts';
import { writtenToken } from './rules/token.ts';

/** What a BFF returns to a page: the settings that follow from it, and what it rejects. */
type Heard = Readonly<{ settings: DoctorSettings; findings: readonly Finding[] }>;

const TIMEOUT_MS = 10_000;

interface Answer {
  readonly status: number;
  readonly code?: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The settings of a BFF that hasn't been queried. */
export const UNKNOWN_BFF: DoctorSettings = {
  publicUrl: 'https://pulse.example.com',
  allowedOrigins: '*',
  ownOrigins: [],
  access: 'public',
  images: 'direct',
  knownIds: undefined,
  chartUrls: {},
  integrity: undefined,
  tokenKeys: undefined,
  now: 0,
};

/**
 * Asks a page's BFF for the page's sources, from outside and with the page's `Origin`, as its cards would.
 * `token` replaces the token in the page's tags. Never rejects.
 */
export async function askBff(facts: PageFacts, token: string | undefined = writtenToken(facts)): Promise<Heard> {
  const publicUrl = bffOf(facts);
  if (publicUrl === undefined) return { settings: facts.settings, findings: [] };
  const { origin, hostname } = facts.url;
  // A different server might be running on this machine. The rules report such a URL.
  if (isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(hostname))
    return { settings: { ...facts.settings, publicUrl }, findings: [] };
  const ids = sourceIdsOn(facts);
  const ask = (path: string): Promise<Answer | undefined> => answerOf(`${publicUrl}${path}`, origin, token);
  const script = facts.scripts.find(({ url }) => url.href.startsWith(`${publicUrl}/`))?.url.href;
  const [list, batch, scriptStatus] = await Promise.all([
    ask('/v1/sources'),
    ids.length === 0 ? undefined : ask(`/v1/pulses?ids=${ids.slice(0, BATCH_SIZE).map(encodeURIComponent).join(',')}`),
    script === undefined ? undefined : statusOf(script, origin),
  ]);
  const answer = batch ?? list;
  const outcomes = arrayIn(batch, 'pulses');
  const listed = arrayIn(list, 'sources').map(({ id }) => String(id));
  const unknown = outcomes.filter(({ code }) => code === 'source_unknown').map(({ sourceId }) => sourceId);
  const isRefused = answer?.code === 'origin_forbidden';
  const settings: DoctorSettings = {
    ...facts.settings,
    publicUrl,
    allowedOrigins: isRefused ? [] : [origin],
    access: answer?.code === 'token_missing' ? 'token' : 'public',
    knownIds:
      outcomes.length === 0 ? undefined : [...new Set([...listed, ...ids])].filter((id) => !unknown.includes(id)),
    chartUrls: Object.fromEntries(outcomes.flatMap(chartOf)),
  };
  const missing = script !== undefined && scriptStatus === 404 ? missingScript(script) : undefined;
  const finding = heardFinding(answer, publicUrl) ?? missing;
  return { settings, findings: finding ? [finding] : [] };
}

/** The BFF that a page's first card, script, or frame refers to. Undefined if there is no reference to a BFF. */
function bffOf(facts: PageFacts): string | undefined {
  const { cards, frames } = facts.elements;
  const card = cards.find(({ attributes }) => attributes['base-url']);
  if (card !== undefined || facts.scripts.length > 0) return withoutSlash(baseOf(card, facts));
  const urls = frames.map(({ attributes }) => attributes['src'] ?? '');
  return urls.flatMap((url) => /^\s*(https?:\/\/[^?#]+)\/embed\//i.exec(url)?.[1] ?? [])[0];
}

async function answerOf(url: string, origin: string, token: string | undefined): Promise<Answer | undefined> {
  const headers = { Origin: origin, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = (await response.json().catch(() => ({}))) as Answer['body'];
    return { status: response.status, code: typeof body['code'] === 'string' ? body['code'] : undefined, body };
  } catch {
    return undefined;
  }
}

/** The status of a file; undefined if there is no response. */
async function statusOf(url: string, origin: string): Promise<number | undefined> {
  const request = { method: 'HEAD', headers: { Origin: origin }, redirect: 'manual' } as const;
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  return response?.status;
}

function missingScript(url: string): Finding {
  return errorFinding('script_not_found', {
    title: `The card’s script isn’t on the server: ${url} returns 404.`,
    detail: 'Without the script, browsers show only the content inside the element. The log of the BFF says why.',
    fix: `Correct the URL of the script, or run npm run build on the server and restart the BFF: ${url}`,
  });
}

function arrayIn(answer: Answer | undefined, name: string): readonly Readonly<Record<string, unknown>>[] {
  const found = answer?.body[name];
  return Array.isArray(found) ? found : [];
}

function chartOf({ sourceId, pulse }: Readonly<Record<string, unknown>>): [id: string, url: string][] {
  const { imageUrl } = (pulse ?? {}) as { imageUrl?: unknown };
  return typeof sourceId === 'string' && typeof imageUrl === 'string' ? [[sourceId, imageUrl]] : [];
}

/** The failure that the page rules don't report. */
function heardFinding(answer: Answer | undefined, publicUrl: string): Finding | undefined {
  if (answer === undefined)
    return errorFinding('bff_unreachable', {
      title: `The BFF at ${publicUrl} doesn’t respond from here.`,
      detail: 'Cards on this page fail with "network" for every reader who can’t reach it either.',
      fix: `Start the BFF, or correct its URL: ${publicUrl}`,
    });
  const { status, code } = answer;
  if (status < 400 || code === 'origin_forbidden' || code === 'token_missing') return undefined;
  if (code === 'token_invalid' || code === 'token_forbidden')
    return errorFinding('token_refused', {
      title: `The BFF rejects the token: ${code}.`,
      detail: 'The BFF’s log shows what was expected and what was found.',
      fix: 'pulse-bff token mint --source SOURCE_ID',
    });
  return errorFinding('bff_refuses', {
    title: `The BFF at ${publicUrl} returns ${status}${code === undefined ? '' : ` ${code}`}.`,
    detail: code === undefined ? 'This isn’t a response from a BFF.' : 'Cards on this page show an error.',
    fix: code === undefined ? `Correct the URL of the script or base-url: ${publicUrl}` : 'pulse-bff check',
  });
}
