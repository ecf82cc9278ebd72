import { type DoctorSettings, factsOf, isBareOrigin, type PageFacts, pageOf, type PageResult } from './facts.ts';
import { cleanLine, type Finding } from './finding.ts';
import { failureFindings } from './rules/failures.ts';
import { judgedOrigin, originFinding, pageFinding, urlOf } from './rules/page.ts';
import { policyFindings } from './rules/policies.ts';
import { scriptFindings, urlFindings } from './rules/script.ts';
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

/** The rules for a page that was read. */
const RULES = [failureFindings, tagFindings, urlFindings, scriptFindings, policyFindings];

/**
 * Checks a page's origin, tags, script, policies, and token for problems that keep its cards from working. Without a
 * page, it still reports whether the origin is allowed.
 */
export async function diagnose(given: PageResult, settings: DoctorSettings, token?: string): Promise<Diagnosis> {
  const page = given.ok ? factsOf(pageOf(given), settings) : undefined;
  if (page !== undefined && leadsElsewhere(given, page))
    return diagnose({ ...given, ok: false, fault: { kind: 'elsewhere' } }, settings, token);
  const origin = judgedOrigin(given, settings);
  const shown = token ?? (page && writtenToken(page));
  const explained = shown === undefined ? undefined : await tokenFindings(shown, { settings, origin, page });
  const forbidden = originFinding(origin, settings);
  const findings = [
    forbidden,
    given.ok ? undefined : pageFinding(given),
    ...(page === undefined ? [] : RULES.flatMap((rule) => rule(page))),
    page && tokenMissing(page, shown),
    ...((settings.access === 'token' && explained?.findings) || []),
  ].filter((finding) => finding !== undefined);
  const cards = page === undefined ? 0 : page.elements.cards.length + page.frames.length;
  return {
    ok: cards > 0 && findings.every(({ severity }) => severity !== 'error'),
    page: { url: cleanLine(urlOf(new URL(given.url))), origin, wasRead: page !== undefined, cards },
    originAllowed: forbidden === undefined,
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
