import { BATCH_SIZE, isLoopbackHost } from '@pulse-card/contract';
import { diagnose, type Diagnosis } from './diagnose.ts';
import {
  type DoctorSettings,
  factsOf,
  type FetchedPage,
  located,
  type PageFacts,
  pageOf,
  withoutSlash,
  writtenBase,
} from './facts.ts';
import { fetchPage } from './fetch-page.ts';
import { type Finding, findingOf } from './finding.ts';
import { sourceIdsOn } from './rules/tags.ts';
import { writtenToken } from './rules/token.ts';

/** A page's diagnosis, and the BFF that was queried. */
export interface PageCheckResult extends Diagnosis {
  /** The URL of the page's BFF; null if the page doesn't refer to one. */
  readonly bff: string | null;
}

const TIMEOUT_MS = 10_000;

/** The settings for a BFF that hasn't been queried. */
const UNKNOWN_BFF: DoctorSettings = {
  publicUrl: 'https://pulse.example.com',
  allowedOrigins: '*',
  ownOrigins: [],
  access: 'public',
  chartUrls: {},
};

/**
 * Fetches the page at `url`, queries the page's BFF with the page's `Origin`, and diagnoses the page based on the BFF's
 * response. `token` replaces the tokens in the page's tags. Never rejects.
 */
export async function checkPage(url: URL, token?: string): Promise<PageCheckResult> {
  const page = await fetchPage(url);
  const bff = page.ok ? await askBff(page, token) : undefined;
  const diagnosis = await diagnose(page, bff?.settings ?? UNKNOWN_BFF, token);
  return {
    ...diagnosis,
    ok: diagnosis.ok && bff?.finding === undefined,
    findings: [...(bff?.finding ? [bff.finding] : []), ...diagnosis.findings],
    bff: bff?.settings.publicUrl ?? null,
  };
}

/**
 * Asks a page's BFF for the page's sources, from outside and with the page's `Origin`, as its cards would. Resolves with
 * the settings that the responses reveal, and with the error if there is one. Undefined if the page has no BFF.
 */
async function askBff(page: FetchedPage, givenToken: string | undefined) {
  const facts = factsOf(pageOf(page), UNKNOWN_BFF);
  const token = givenToken ?? writtenToken(facts);
  const { url } = facts;
  const publicUrl = bffOf(facts) ?? (await bffOfFrames(facts));
  if (publicUrl === undefined) return undefined;
  const settings = { ...facts.settings, publicUrl };
  if (isOnThisMachine(publicUrl, url)) return { settings };
  // Which frames show cards is known only once the BFF is known.
  const ids = sourceIdsOn(factsOf(facts, settings));
  const batchPath = `/v1/pulses?ids=${ids.slice(0, BATCH_SIZE).map(encodeURIComponent).join(',')}`;
  const script = facts.scripts.find(({ url: { href } }) => href.startsWith(`${publicUrl}/`))?.url.href;
  const [list, batch, scriptAnswer] = await Promise.all([
    answerOf(`${publicUrl}/v1/sources`, url.origin, token),
    ids.length === 0 ? undefined : answerOf(`${publicUrl}${batchPath}`, url.origin, token),
    script === undefined ? undefined : answerOf(script, url.origin),
  ]);
  const answer = batch ?? list;
  const outcomes = arrayIn(batch, 'pulses');
  const listed = arrayIn(list, 'sources').map(({ id }) => String(id));
  const unknown = outcomes.filter(({ code }) => code === 'source_unknown').map(({ sourceId }) => sourceId);
  const known = [...new Set([...listed, ...ids])].filter((id) => !unknown.includes(id));
  const missing = scriptAnswer?.status === 404 ? missingScript(String(script)) : undefined;
  const heard: DoctorSettings = {
    ...settings,
    allowedOrigins: answer?.code === 'origin_forbidden' ? [] : [url.origin],
    access: answer?.code === 'token_missing' ? 'token' : 'public',
    knownIds: outcomes.length === 0 ? undefined : known,
    chartUrls: Object.fromEntries(outcomes.flatMap(chartOf)),
  };
  return { settings: heard, finding: failureIn(answer, publicUrl) ?? missing };
}

/** The BFF that a page's first card or script refers to. Undefined if there is no reference to a BFF. */
function bffOf(facts: PageFacts): string | undefined {
  const card = facts.elements.cards.find(({ attributes }) => attributes['base-url']);
  const base = writtenBase(card, facts);
  return base && withoutSlash(base);
}

/** The maximum number of frames' sites to query. */
const MAX_SITES = 10;

/**
 * The BFF of a page's frames. Other sites, such as those with videos, also have pages at `/embed`. If no BFF responds,
 * this is the first of the sites.
 */
async function bffOfFrames(facts: PageFacts): Promise<string | undefined> {
  const frames = located(facts.elements.frames, facts).map(({ url }) => url.href);
  const found = new Set(frames.flatMap((url) => /^(https?:\/\/[^?#]+)\/embed\//.exec(url)?.[1] ?? []));
  const sites = [...found].slice(0, MAX_SITES);
  for (const site of sites) {
    if (isOnThisMachine(site, facts.url)) continue;
    const answer = await answerOf(`${site}/v1/sources`, facts.url.origin);
    if (answer?.code !== undefined || Array.isArray(answer?.body['sources'])) return site;
  }
  return sites[0];
}

/** Whether another machine's page uses this machine's BFF, which might be a different server. The rules report this. */
function isOnThisMachine(publicUrl: string, page: URL): boolean {
  return isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(page.hostname);
}

type Fields = Readonly<Record<string, unknown>>;

/** The response to a request from a page; undefined if there is none. */
async function answerOf(url: string, origin: string, token?: string) {
  const headers = { Origin: origin, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = (await response.json().catch(() => ({}))) as Fields;
    return { status: response.status, code: typeof body['code'] === 'string' ? body['code'] : undefined, body };
  } catch {
    return undefined;
  }
}

type Answer = Awaited<ReturnType<typeof answerOf>>;

function arrayIn(answer: Answer, name: string): readonly Fields[] {
  const found = answer?.body[name];
  return Array.isArray(found) ? found.filter((row) => row instanceof Object) : [];
}

function chartOf({ sourceId, pulse }: Fields): [id: string, url: string][] {
  const { imageUrl } = (pulse ?? {}) as { imageUrl?: unknown };
  return typeof sourceId === 'string' && typeof imageUrl === 'string' ? [[sourceId, imageUrl]] : [];
}

function missingScript(url: string): Finding {
  return findingOf('script_not_found', {
    title: `The card’s script isn’t on the server: ${url} returns 404.`,
    detail: 'Without the script, browsers show only the content inside the element. The log of the BFF says why.',
    fix: `Correct the URL of the script, or run npm run build on the server and restart the BFF: ${url}`,
  });
}

/** The failure that the page rules don't report. */
function failureIn(answer: Answer, publicUrl: string): Finding | undefined {
  if (answer === undefined)
    return findingOf('bff_unreachable', {
      title: `The BFF at ${publicUrl} doesn’t respond from here.`,
      detail: 'For readers who can’t reach it either, cards on this page fail with "network".',
      fix: `Start the BFF, or correct its URL: ${publicUrl}`,
    });
  const { status, code } = answer;
  if (status < 400 || code === 'origin_forbidden' || code === 'token_missing') return undefined;
  if (code === 'token_invalid' || code === 'token_forbidden')
    return findingOf('token_refused', {
      title: `The BFF rejects the token: ${code}.`,
      detail: 'The BFF’s log shows what was expected and what was found.',
      fix: 'pulse-bff token mint --source SOURCE_ID',
    });
  return findingOf('bff_refuses', {
    title: `The BFF at ${publicUrl} returns ${[status, code].filter(Boolean).join(' ')}.`,
    detail: code === undefined ? 'This isn’t a response from a BFF.' : 'Cards on this page show an error.',
    fix:
      code === undefined
        ? `Correct the URL of the script or base-url: ${publicUrl}`
        : 'On the BFF’s machine, run the check command of pulse-bff',
  });
}
