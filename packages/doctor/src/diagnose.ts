import {
  type DoctorSettings,
  factsOf,
  isBareOrigin,
  isOriginAllowed,
  type PageFacts,
  type PageResult,
} from './facts.ts';
import { cleanLine, type Finding } from './finding.ts';
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
  /** True if the page was read and contains a card, and no issue has the severity `error`. */
  readonly ok: boolean;
  readonly page: {
    /** The page's URL after redirects, without its query. */
    readonly url: string;
    /**
     * The origin that is checked. This is the origin of `url`. If another site responded and the page wasn't read, it
     * is the requested origin.
     */
    readonly origin: string;
    /** True if the page was read. The issues are then about this page. */
    readonly wasRead: boolean;
    /** The number of cards, boards, and frames on the page. */
    readonly cards: number;
  };
  /** True if pages on this origin are allowed to show cards. */
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
  const facts = given.ok ? factsOf(given, settings) : undefined;
  const isOther = facts !== undefined && leadsElsewhere(given, facts);
  const result: PageResult = isOther ? { ...given, ok: false, fault: { kind: 'elsewhere' } } : given;
  const page = isOther ? undefined : facts;
  const origin = judgedOrigin(result, settings);
  const shown = token ?? (page && writtenToken(page));
  const explained = shown === undefined ? undefined : await tokenFindings(shown, { settings, origin, page });
  const findings = [
    originFinding(origin, settings),
    result.ok ? undefined : pageFinding(result),
    ...(page === undefined ? [] : [...tagFindings(page), ...scriptFindings(page), ...policyFindings(page)]),
    page === undefined || shown !== undefined ? undefined : tokenMissing(page),
    ...(explained?.findings ?? []),
  ].filter((finding) => finding !== undefined);
  const cards = page === undefined ? 0 : page.elements.cards.length + page.frames.length;
  const url = new URL(result.url);
  return {
    ok: cards > 0 && findings.every(({ severity }) => severity !== 'error'),
    page: { url: cleanLine(url.origin + url.pathname), origin, wasRead: page !== undefined, cards },
    originAllowed: isOriginAllowed(origin, settings),
    findings: findings.slice(0, MAX_FINDINGS),
    token: (token !== undefined && explained?.report) || null,
  };
}

/** Whether a redirect led to another page, which contains no card. It is probably a login page. */
function leadsElsewhere({ asked }: PageResult, { url, elements, frames }: PageFacts): boolean {
  const first = new URL(asked);
  const isSamePath = url.pathname.replace(/\/$/, '') === first.pathname.replace(/\/$/, '');
  if (isSamePath || isBareOrigin(first)) return false;
  return elements.cards.length + elements.misspelt.length + frames.length === 0;
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
