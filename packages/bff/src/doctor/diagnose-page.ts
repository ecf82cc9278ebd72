import { z } from 'zod';
import { isSerializedOrigin, OriginPolicy } from '../auth/origin-policy.ts';
import { policiesIn } from './content-security-policy.ts';
import { fetchPage, type FetchedPage, type PageResult } from './fetch-page.ts';
import { cleanLine, type Finding, type FindingCode } from './finding.ts';
import { originOf, withoutLogin } from './login-redirect.ts';
import {
  cardFrames,
  isBareOrigin,
  type DoctorContext,
  type PageFacts,
  type PageSources,
  type SourceFacts,
} from './page-context.ts';
import { pageElementsIn } from './page-elements.ts';
import {
  imageHostFindings,
  originFindings,
  pageFaultFindings,
  proxyTrustFindings,
  sourceFindings,
  truncatedFinding,
} from './page-findings.ts';
import { policyFindings } from './policy-findings.ts';
import { scriptFindings } from './script-findings.ts';
import { sourceIdsOn, tagFindings } from './tag-findings.ts';
import { tokenFindings, tokenMissingFindings, type TokenReport } from './token-findings.ts';
import type { PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { AppConfig } from '../config.ts';
import type { WidgetFiles } from '../http/widget-files.ts';

/** Ids of one page that are looked up. */
const MAX_LOOKED_UP_IDS = 10;

/** The input of a diagnosis. */
export const diagnosisInputSchema = z.object({
  /** The address of a page, or an origin. */
  url: z
    .string('must be an address such as https://www.example.com/page, with its scheme')
    .trim()
    .max(2_048, 'must have at most 2048 characters')
    .refine(isPageUrl, 'must be an address such as https://www.example.com/page, with its scheme'),
  /** A token to explain. */
  token: z.string().max(16_384, 'must have at most 16384 characters').optional(),
});

export type DiagnosisInput = z.input<typeof diagnosisInputSchema>;

/** What keeps the cards of a page from working. All texts are one line, free of control characters; no token is among them. */
export interface Diagnosis {
  /** There is no finding of severity `error`, and the page, if one was given, was read. */
  readonly ok: boolean;
  readonly page: {
    /** Where the page was found, after redirects, without its query. */
    readonly url: string;
    /** The origin that is judged: that of `url`, or the one that was asked for where another site answered and the page was not read. */
    readonly origin: string;
    /** The page was read, so that the findings are about it. */
    readonly wasRead: boolean;
    readonly redirects: number;
    /** The cards, boards and frames on it. */
    readonly cards: number;
  };
  /** Pages of this origin may show cards. */
  readonly originAllowed: boolean;
  readonly findings: readonly Finding[];
  /** Null where none was given. */
  readonly token: TokenReport | null;
}

/**
 * Fetches the page at `url` and says what keeps its cards from working: origin, tags, script, policies, charts, token.
 * For an origin without a page it still says whether that origin is allowed. Rejects with a `ZodError` if the input is not valid.
 */
export async function diagnosePage(input: DiagnosisInput, context: DoctorContext): Promise<Diagnosis> {
  const { url, token } = diagnosisInputSchema.parse(input);
  const asked = new URL(url);
  const { settings } = context;
  const originPolicy = new OriginPolicy(settings.allowedOrigins, settings.publicUrl);
  const listed = settings.allowedOrigins === '*' ? [] : settings.allowedOrigins;
  const guards = { trustedOrigins: [...listed, ...originPolicy.own], ...context.guards };
  const result = withoutLogin(await (context.fetchPage ?? fetchPage)(asked, guards), asked, settings);
  const origin = originOf(result, asked, originPolicy);
  const isTruncated = result.ok && result.isTruncated;
  const page = result.ok ? await pageFacts(result, originPolicy, context) : undefined;
  const explained =
    token === undefined ? undefined : await tokenFindings(token, context, { origin, originPolicy, page });
  const findings = [
    ...originFindings(origin, originPolicy, settings),
    ...(result.ok ? [] : pageFaultFindings(result, { asked, isBareOrigin: isBareOrigin(asked) })),
    ...(page === undefined ? [] : pageFindings(page, { isBareOrigin: isBareOrigin(asked), isTruncated })),
    ...(isTruncated ? [truncatedFinding()] : []),
    ...(page !== undefined && token === undefined ? await writtenTokenFindings(page, context) : []),
    ...(explained?.findings ?? []),
    ...proxyTrustFindings(context),
  ];
  return {
    ok: (result.ok || isBareOrigin(asked)) && findings.every(({ severity }) => severity !== 'error'),
    page: { ...reportOf(result, page), origin },
    originAllowed: originPolicy.check(origin) === 'allowed',
    findings,
    token: explained?.report ?? null,
  };
}

function reportOf({ url, ok, redirects }: PageResult, page: PageFacts | undefined): Omit<Diagnosis['page'], 'origin'> {
  const cards = page === undefined ? 0 : page.elements.cards.length + cardFrames(page).length;
  return { url: cleanLine(url.origin + url.pathname), wasRead: ok, redirects, cards };
}

async function pageFacts(
  { url, headers, html }: FetchedPage,
  originPolicy: OriginPolicy,
  { settings, widget, sourceFacts }: DoctorContext,
): Promise<PageFacts> {
  const elements = pageElementsIn(html);
  const header = headers['content-security-policy'];
  const policies = [
    ...(typeof header === 'string' ? policiesIn(header, 'header') : []),
    ...elements.policies.flatMap((text) => policiesIn(text, 'meta')),
  ];
  const ids = sourceIdsOn({ url, elements, settings }).slice(0, MAX_LOOKED_UP_IDS);
  const embedder = headers['cross-origin-embedder-policy'];
  return {
    url,
    elements,
    policies,
    embedderPolicy: typeof embedder === 'string' ? embedder : undefined,
    settings,
    originPolicy,
    widget,
    sources: await sourceFacts({ ids, hasBoard: elements.cards.some(({ name }) => name === 'pulse-board') }),
  };
}

/** What the rest of a page may hold. */
const MAY_FOLLOW: readonly FindingCode[] = ['card_missing', 'script_missing', 'tag_not_closed'];

function pageFindings(
  page: PageFacts,
  { isBareOrigin, isTruncated }: Readonly<Record<'isBareOrigin' | 'isTruncated', boolean>>,
): Finding[] {
  // The first page of an origin need not have a card.
  const optional: readonly FindingCode[] = [
    ...(isBareOrigin ? ['card_missing' as const] : []),
    ...(isTruncated ? MAY_FOLLOW : []),
  ];
  return [
    ...[...tagFindings(page), ...scriptFindings(page)].filter(({ code }) => !optional.includes(code)),
    ...policyFindings(page),
    ...imageHostFindings(page.settings, page.sources),
    ...sourceFindings(page.sources),
    ...(page.elements.cards.length > 0 ? tokenMissingFindings(page) : []),
  ];
}

/** A token in a tag is judged like one that was given. */
async function writtenTokenFindings(page: PageFacts, context: DoctorContext): Promise<Finding[]> {
  const token = page.elements.cards.find(({ attributes }) => attributes['token'])?.attributes['token'];
  if (token === undefined) return [];
  const { url, originPolicy } = page;
  return (await tokenFindings(token, context, { origin: url.origin, originPolicy, page })).findings;
}

function isPageUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  return isSerializedOrigin(new URL(text).origin);
}

/** The facts that a running BFF gives to a diagnosis. */
export interface PageCheckerOptions {
  readonly config: AppConfig;
  readonly cache: Pick<PulseCache, 'peek'>;
  /** Every id that is known. */
  readonly knownIds: () => readonly string[];
  readonly tokenKeys: () => DoctorContext['tokenKeys'];
  readonly sawUntrustedProxy: () => boolean;
  readonly widget: WidgetFiles | undefined;
  readonly clock: Pick<Clock, 'wallNow'>;
}

/** Makes the function that diagnoses pages for a running BFF: what it knows of sources costs no call to the service. */
export function pageChecker(options: PageCheckerOptions): (input: DiagnosisInput) => Promise<Diagnosis> {
  const { config, tokenKeys, sawUntrustedProxy, widget, clock } = options;
  return (input) =>
    diagnosePage(input, {
      settings: config,
      sourceFacts: async (sources) => sourceFactsOf(sources, options),
      sawUntrustedProxy: sawUntrustedProxy(),
      tokenKeys: tokenKeys(),
      widget,
      wallNow: () => clock.wallNow(),
    });
}

function sourceFactsOf({ ids, hasBoard }: PageSources, { cache, knownIds }: PageCheckerOptions): SourceFacts {
  const pulseOf = (id: string) => cache.peek(id)?.value.pulse;
  // A tag that is suggested names the first of them: one that has something to show.
  const known = knownIds().toSorted((a, b) => Number(!pulseOf(a)) - Number(!pulseOf(b)));
  const onPage = [...new Set([...ids, ...(hasBoard ? known : [])])];
  const chartUrls = onPage.flatMap((id) => pulseOf(id)?.imageUrl ?? []);
  return { knownIds: known, chartUrls };
}
