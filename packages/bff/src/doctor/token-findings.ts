import { explainToken, refusalReason, type TokenExplanation } from '@pulse-card/token';
import { MAX_TOKEN_LENGTH, type TokenError } from '@pulse-card/token';
import type { OriginPolicy } from '../auth/origin-policy.ts';
import { cleanLine, errorFinding, type Finding, warningFinding } from './finding.ts';
import { cardFrames, type DoctorContext, type PageFacts } from './page-context.ts';
import { sourceIdsOn } from './tag-findings.ts';

/** What the BFF reads in a token. The token itself is not included. */
export interface TokenReport {
  /** Null if there are no keys to check the signature with. */
  readonly accepted: boolean | null;
  /** Its claims and why it is refused, line by line. */
  readonly lines: readonly string[];
}

/** What is known of the token beside the page: `page` is undefined where there is none to look at. */
export interface TokenFacts {
  readonly origin: string;
  readonly originPolicy: OriginPolicy;
  readonly page: PageFacts | undefined;
}

/** Explains `token` and reports why it does not open the cards of the page. */
export async function tokenFindings(
  token: string,
  { settings: { access, publicUrl }, tokenKeys, wallNow }: Pick<DoctorContext, 'settings' | 'tokenKeys' | 'wallNow'>,
  facts: TokenFacts,
): Promise<{ report: TokenReport; findings: Finding[] }> {
  const given = token.trim().replace(/^bearer +/i, '');
  const explanation: TokenExplanation =
    given.length > MAX_TOKEN_LENGTH
      ? { lines: ['The token is refused: it is longer than 4096 characters.'], isAccepted: false, error: 'too_long' }
      : await explainToken(given, { keySet: tokenKeys, audience: publicUrl, wallNow });
  const report = { accepted: explanation.isAccepted ?? null, lines: explanation.lines.map(cleanLine) };
  if (access === 'public') return { report, findings: [unused()] };
  const { error } = explanation;
  if (error !== undefined) return { report, findings: [refused(error, publicUrl)] };
  return { report, findings: [...originFinding(explanation, facts), ...sourceFindings(explanation, facts)] };
}

/** A script that gives every element of the page its tokens, of which the portal answers `/pulse-token` with one. */
const TOKEN_SCRIPT = [
  '<script type="module">const tokenProvider = async () => {',
  "const response = await fetch('/pulse-token');",
  "if (!response.ok) throw new Error('/pulse-token answered ' + response.status);",
  'return response.text(); };',
  "for (const card of document.querySelectorAll('pulse-card, pulse-board')) card.tokenProvider = tokenProvider;</script>",
].join(' ');

/** Reports cards without a token where access is by token and no script could set one. */
export function tokenMissingFindings(page: PageFacts): Finding[] {
  const { elements, settings } = page;
  if (settings.access === 'public') return [];
  const isGiven = elements.cards.every(({ attributes }) => attributes['token']) && cardFrames(page).length === 0;
  const mayBeGiven = elements.hasInlineScripts || elements.scripts.length > 1;
  if (isGiven || mayBeGiven) return [];
  return [
    errorFinding('token_missing', {
      title: 'The BFF wants a token, and nothing on the page gives the cards one.',
      detail: 'With PULSE_ACCESS=token each card needs a token that your backend signs.',
      fix: TOKEN_SCRIPT,
    }),
  ];
}

function unused(): Finding {
  return warningFinding('token_unused', {
    title: 'The BFF takes no tokens: everyone may read.',
    detail: 'PULSE_ACCESS is public, so that the token is ignored.',
    fix: 'PULSE_ACCESS=token',
  });
}

const FIXES: Readonly<Record<TokenError, string>> = {
  too_long: 'mintToken(key, { audience, sources: "*" })',
  malformed: 'pulse-bff token mint --source SOURCE_ID',
  header: 'pulse-bff token mint --source SOURCE_ID',
  unknown_key: 'Add the key that the token is signed with, under its kid, to PULSE_TOKEN_KEYS_FILE',
  algorithm: 'pulse-bff token mint --source SOURCE_ID',
  signature: 'pulse-bff token mint --source SOURCE_ID',
  audience: '',
  claims: 'mintToken(key, { audience, sources: ["SOURCE_ID"] })',
  life: 'mintToken(key, { audience, sources, lifeSeconds: 300 })',
  times: `const response = await fetch('/pulse-token', { cache: 'no-store' });`,
  revoked: 'pulse-bff token mint --source SOURCE_ID',
};

function refused(fault: TokenError, publicUrl: string): Finding {
  return errorFinding('token_refused', {
    title: `The token is refused: ${refusalReason(fault, publicUrl)}.`,
    detail: 'Readers hear token_invalid.',
    fix: fault === 'audience' ? `mintToken(key, { audience: "${publicUrl}", … })` : FIXES[fault],
  });
}

function originFinding({ accessGrant }: TokenExplanation, { origin, originPolicy }: TokenFacts): Finding[] {
  // Browsers name no origin when a page asks its own; then the token must be for one of the BFF's.
  if (
    accessGrant === undefined ||
    accessGrant.allowsOrigin(originPolicy.own.includes(origin) ? originPolicy.own : [origin])
  )
    return [];
  return [
    errorFinding('token_origin', {
      title: `The token is not for pages of ${origin}.`,
      detail: 'Its claim "origins" names others. Readers hear token_forbidden.',
      fix: `"origins": ["${origin}"]`,
    }),
  ];
}

function sourceFindings({ accessGrant }: TokenExplanation, { page }: TokenFacts): Finding[] {
  const ids = page === undefined ? [] : sourceIdsOn(page);
  const refused = ids.filter((id) => accessGrant !== undefined && !accessGrant.allowsSource(id));
  if (refused.length === 0) return [];
  return [
    errorFinding('token_source', {
      title: `The token is not for ${refused.join(', ')}.`,
      detail: 'Its claim "sources" does not name what the page shows. Readers hear token_forbidden.',
      fix: `"sources": [${ids.map((id) => JSON.stringify(id)).join(', ')}]`,
    }),
  ];
}
