import { BATCH_SIZE, isLoopbackHost } from '@pulse-card/contract';
import { diagnose, type Diagnosis } from './diagnose.ts';
import { type DoctorSettings, factsOf, located, type PageFacts, pageOf, withoutSlash, writtenBase } from './facts.ts';
import { fetchPage } from './fetch-page.ts';
import { sourceIdsOn } from './rules/tags.ts';
import { writtenToken } from './rules/token.ts';

/** A page's diagnosis, and the BFF that was queried. */
export interface PageCheckResult extends Diagnosis {
  /** The URL of the page's BFF; null if the page doesn't refer to one. */
  readonly bff: string | null;
}

const TIMEOUT_MS = 10_000;

/** The maximum number of frames' sites to query. */
const MAX_SITES = 10;

/** The settings for a BFF that hasn't been queried. */
const UNKNOWN_BFF: DoctorSettings = {
  publicUrl: 'https://pulse.example.com',
  allowedOrigins: '*',
  ownOrigins: [],
  access: 'public',
  chartUrls: new Map(),
  tokenKeys: null,
  failures: new Map(),
};

/**
 * Fetches the page at `url`, queries the page's BFF with the page's `Origin`, and diagnoses the page based on the BFF's
 * response. `token` replaces the tokens in the page's tags. Never rejects.
 */
export async function checkPage(url: URL, token?: string): Promise<PageCheckResult> {
  const page = await fetchPage(url);
  const settings = page.ok ? await askBff(factsOf(pageOf(page), UNKNOWN_BFF), token) : undefined;
  const diagnosis = await diagnose(page, settings ?? UNKNOWN_BFF, token);
  return { ...diagnosis, bff: settings?.publicUrl ?? null };
}

/** Codes for responses that don't come from a BFF. */
const NO_BFF = ['unreachable', 'not_found', 'on_loopback'];

/**
 * Asks a page's BFF for the page's sources, from outside and with the page's `Origin`, as its cards would. Resolves with
 * the settings that the responses reveal. Undefined if the page has no BFF.
 */
async function askBff(facts: PageFacts, givenToken = writtenToken(facts)): Promise<DoctorSettings | undefined> {
  const { elements, url } = facts;
  const card = elements.cards.find(({ attributes }) => attributes['base-url']);
  const base = writtenBase(card, facts);
  // Frames can't send a token, and other sites must not receive it.
  const ask = (address: string) => askFor(address, { page: url, token: base && givenToken });
  const sites = base === undefined ? frameSites(facts) : [withoutSlash(base)];
  const lists = await Promise.all(sites.map(async (site) => ({ site, ...(await ask(`${site}/v1/sources`)) })));
  // If no BFF responds, the first site is reported.
  const list = lists.find(({ code = '' }) => !NO_BFF.includes(code)) ?? lists[0];
  if (list === undefined) return undefined;
  const publicUrl = list.site;
  // Which frames show cards is known only once the BFF is known.
  const { scripts, ...own } = factsOf(facts, { ...UNKNOWN_BFF, publicUrl });
  const ids = sourceIdsOn(own);
  const script = scripts.find(({ url: { href } }) => href.startsWith(`${publicUrl}/`))?.url.href;
  const asked = ids.slice(0, BATCH_SIZE);
  const [batch, served] = await Promise.all([
    ids.length === 0 ? undefined : ask(`${publicUrl}/v1/pulses?ids=${asked.join(',')}`),
    script === undefined || NO_BFF.includes(list.code ?? '') ? undefined : ask(script),
  ]);
  const outcomes = new Map(batch?.rows.map((outcome) => [outcome.sourceId, outcome]));
  // A card without an outcome fails, too.
  const codeOf = (id: string) => batch?.code ?? (outcomes.has(id) ? outcomes.get(id)?.code : 'source_unknown');
  const failures = new Map(asked.map((id) => [id, codeOf(id)]));
  const heard = [list.code, ...failures.values()];
  const known = new Set([...list.rows.map(({ id }) => String(id)), ...ids]);
  return {
    ...own.settings,
    allowedOrigins: heard.includes('origin_forbidden') ? [] : [url.origin],
    access: heard.includes('token_missing') ? 'token' : 'public',
    knownIds: (batch ?? list).code ? undefined : [...known].filter((id) => failures.get(id) !== 'source_unknown'),
    chartUrls: new Map([...outcomes].map(([id, { pulse }]) => [String(id), pulse?.imageUrl])),
    failures,
    listFailure: list.code,
    missingScript: (served?.status === 404 && script) || null,
  };
}

/** The sites of a page's frames, of which some might show videos: other sites also have pages at `/embed`. */
function frameSites(facts: PageFacts): string[] {
  const urls = located(facts.elements.frames, facts).map(({ url }) => url.href);
  return [...new Set(urls.flatMap((url) => /^([^?#]+)\/embed\//.exec(url)?.[1] ?? []))].slice(0, MAX_SITES);
}

/** What a BFF sends, unless it's something else. */
type Row = Readonly<{ id?: string; sourceId?: string; code?: string; pulse?: { imageUrl?: string } }>;

/** The rows in a response to a page's request, or the code of its error. */
async function askFor(url: string, { page, token }: { page: URL; token: string | undefined }) {
  // This machine's server might not be the one that other machines use.
  if (isLoopbackHost(new URL(url).hostname) && !isLoopbackHost(page.hostname)) return { rows: [], code: 'on_loopback' };
  const headers = { Origin: page.origin, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { headers, redirect: 'manual', signal }).catch(() => undefined);
  const body = (await response?.json().catch(() => undefined)) as Record<string, unknown> | undefined | null;
  const { ok = false, status = 500 } = response ?? {};
  const rows = body?.['sources'] ?? body?.['pulses'];
  if (ok && Array.isArray(rows)) return { status, rows: rows.filter((row): row is Row => row instanceof Object) };
  // A proxy responds if the BFF behind it doesn't, and a portal responds if no one is signed in.
  const code = status >= 500 ? 'unreachable' : (status === 401 && 'signed_out') || 'not_found';
  return { status, rows: [], code: typeof body?.['code'] === 'string' ? body['code'] : code };
}
