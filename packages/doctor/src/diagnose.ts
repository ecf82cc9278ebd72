import { policiesOf } from './csp.ts';
import {
  type DoctorSettings,
  factsOf,
  type FetchedPage,
  isBareOrigin,
  isOriginAllowed,
  type PageFacts,
  type PageResult,
} from './facts.ts';
import { cleanLine, type Finding, type FindingCode } from './finding.ts';
import { decodePage, pageElementsIn } from './html.ts';
import { originFinding, pageFinding } from './rules/page.ts';
import { policyFindings } from './rules/policies.ts';
import { scriptFindings } from './rules/script.ts';
import { tagFindings } from './rules/tags.ts';
import { tokenFindings, tokenMissing, type TokenReport, writtenToken } from './rules/token.ts';

/**
 * The reasons why cards on a page don't work. All strings are one line without control characters and don't contain a
 * token.
 */
export interface Diagnosis {
  /** True if the page was read and has a card, and no finding has the severity `error`. */
  readonly ok: boolean;
  readonly page: {
    /** The page's URL after redirects, without its query. */
    readonly url: string;
    /**
     * The origin that is checked. This is the origin of `url`. If another site responded and the page wasn't read, it
     * is the requested origin.
     */
    readonly origin: string;
    /** True if the page was read. The findings are then about this page. */
    readonly wasRead: boolean;
    readonly redirects: number;
    /** The number of cards, boards, and frames on the page. */
    readonly cards: number;
  };
  /** True if pages on this origin may show cards. */
  readonly originAllowed: boolean;
  /** The first 50. */
  readonly findings: readonly Finding[];
  /** Null if no token was given. */
  readonly token: TokenReport | null;
}

const MAX_FINDINGS = 50;

/**
 * Checks a page's origin, tags, script, policies, and token for problems that keep its cards from working. Without a
 * page, it still reports whether the origin is allowed.
 */
export async function diagnose(given: PageResult, settings: DoctorSettings, token?: string): Promise<Diagnosis> {
  const facts = given.ok ? readPage(given, settings) : undefined;
  const isLogin = facts !== undefined && leadsToLogin(given, facts);
  const result: PageResult = isLogin ? { ...given, ok: false, fault: { kind: 'login' } } : given;
  const page = isLogin ? undefined : facts;
  const origin = judgedOrigin(result, settings);
  const shown = token ?? (page && writtenToken(page));
  const explained = shown === undefined ? undefined : await tokenFindings(shown, { settings, origin, page });
  const findings = [
    originFinding(origin, settings),
    result.ok ? undefined : pageFinding(result),
    ...(page === undefined ? [] : findingsOn(page, given.ok && given.isTruncated)),
    page === undefined || shown !== undefined ? undefined : tokenMissing(page),
    ...(explained?.findings ?? []),
  ].filter((finding) => finding !== undefined);
  const cards = page === undefined ? 0 : page.elements.cards.length + page.frames.length;
  const url = new URL(result.url);
  return {
    ok: cards > 0 && findings.every(({ severity }) => severity !== 'error'),
    page: {
      url: cleanLine(url.origin + url.pathname),
      origin,
      wasRead: page !== undefined,
      redirects: result.redirects,
      cards,
    },
    originAllowed: isOriginAllowed(origin, settings),
    findings: findings.slice(0, MAX_FINDINGS),
    token: (token !== undefined && explained?.report) || null,
  };
}

/** The facts of a page, for `settings`. */
export function readPage({ url, policy, body, contentType }: FetchedPage, settings: DoctorSettings): PageFacts {
  const elements = pageElementsIn(decodePage(body, contentType));
  return factsOf({ url: new URL(url), elements, policies: policiesOf(policy, elements.policies), settings });
}

/** Findings that might go away if the rest of the page were read. */
const MAY_FOLLOW: readonly FindingCode[] = ['script_missing', 'tag_not_closed'];

function findingsOn(page: PageFacts, isTruncated: boolean): Finding[] {
  const found = [...tagFindings(page), ...scriptFindings(page)].filter((finding) => finding !== undefined);
  const kept = isTruncated ? found.filter(({ code }) => !MAY_FOLLOW.includes(code)) : found;
  return [...kept, ...policyFindings(page)];
}

/** The hosts and paths that login pages use. */
const LOGIN = /(?:^|\/)(?:(?:wp-)?log[-_]?in|sign[-_]?in|sso|auth|oauth2?|saml2?)(?:[/.]|$)/i;

/** Returns whether a redirect led to a login page without a card. */
function leadsToLogin({ redirects, asked }: PageResult, { url, elements, frames }: PageFacts): boolean {
  const first = new URL(asked);
  const isSameHost = hostOf(url) === hostOf(first);
  const isSamePath = pathOf(url) === pathOf(first);
  if (redirects === 0 || (isSameHost && isSamePath)) return false;
  if (elements.cards.length + elements.misspelt.length + frames.length > 0) return false;
  if (LOGIN.test(isSameHost ? url.pathname : url.hostname + url.pathname)) return true;
  // The first page on an origin, and the same page on a different host, may have a login form in their header.
  return elements.hasPasswordField && !isSamePath && !isBareOrigin(first);
}

/**
 * The origin that is checked. This is the origin of the page that was read. If no page was read, it is the requested
 * origin, or the allowed origin that it redirects to.
 */
function judgedOrigin({ ok, asked, url }: PageResult, settings: DoctorSettings): string {
  const [first, last] = [new URL(asked), new URL(url)];
  const isMoved =
    isBareOrigin(first) && !isOriginAllowed(first.origin, settings) && isOriginAllowed(last.origin, settings);
  return (ok || isMoved || hostOf(last) === hostOf(first) ? last : first).origin;
}

/** Treats hosts with and without `www` as the same. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

/** Treats paths with and without a trailing slash as the same. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}
