import { type TokenAccess, type TokenError, TokenVerifier } from '@pulse-card/token';
import { type DoctorSettings, frameSourceId, type PageFacts } from '../facts.ts';
import { cleanLine, type Finding, findingOf, type Texts } from '../finding.ts';
import { sourceIdsOn } from './tags.ts';

/** The fields that the BFF reads from a token. The token itself isn't included. */
export interface TokenReport {
  /** Null if there are no keys, or if only the BFF has them and it doesn't reject the token. */
  readonly accepted: boolean | null;
  /** The token's claims and why the token is rejected, line by line. */
  readonly lines: readonly string[];
}

type ExplainedToken = Readonly<{ report: TokenReport; findings: (Finding | undefined)[] }>;

/** The facts that a token is checked against: the settings, the origin, and the page, if one was read. */
type TokenContext = Readonly<{ settings: DoctorSettings; origin: string; page: PageFacts | undefined }>;

/** Explains `token` and reports why it doesn't grant access to the cards on the page. */
export async function tokenFindings(token: string, { settings, origin, page }: TokenContext): Promise<ExplainedToken> {
  const { publicUrl, tokenKeys, ownOrigins } = settings;
  if (!tokenKeys) return { report: unchecked(settings), findings: [] };
  const verifier = new TokenVerifier({ keySet: tokenKeys, audience: publicUrl, wallNow: Date.now });
  const result = await verifier.verify(token.trim().replace(/^bearer +/i, ''));
  if (!result.ok) {
    const title = `The BFF rejects the token: expected ${result.expected}, found ${result.found}.`;
    return { report: reportOf(false, title), findings: [refused(result.reason, title, publicUrl)] };
  }
  const { access: given } = result;
  const allowed = given.sources === '*' ? 'all sources' : [...given.sources].join(', ') || 'no source';
  // Browsers don't send an origin with same-origin requests. The token must then be for one of the BFF's own origins.
  const from = ownOrigins.includes(origin) ? ownOrigins : [origin];
  const report = reportOf(true, `The token is accepted. It allows ${allowed}.`);
  return { report, findings: [otherOrigin(given, from, origin), otherSources(given, page)] };
}

/** A BFF's codes for a token that doesn't grant access. */
export const REFUSALS: readonly string[] = ['token_invalid', 'token_forbidden'];

/** What is known about a token if there are no keys to check it with. */
function unchecked({ tokenKeys, failures, listFailure, knownIds }: DoctorSettings): TokenReport {
  if (tokenKeys === undefined) return reportOf(null, 'The token can’t be checked, because the BFF has no token keys.');
  const code = [listFailure, ...failures.values()].find((each) => each && REFUSALS.includes(each));
  if (code !== undefined) return reportOf(false, `The BFF responds to the token with ${code}.`);
  if (knownIds === undefined) return reportOf(null, 'The BFF didn’t check the token.');
  return reportOf(null, 'The BFF doesn’t reject the token. Only the BFF has the keys to check it further.');
}

function reportOf(accepted: boolean | null, line: string): TokenReport {
  return { accepted, lines: [cleanLine(line)] };
}

/** The token in a tag, if any tag contains one. */
export function writtenToken({ elements: { cards } }: PageFacts): string | undefined {
  return cards.find(({ attributes }) => attributes['token'])?.attributes['token'];
}

/**
 * A script that gives tokens to every element on the page. It requests each token from the portal at `/pulse-token`.
 */
const TOKEN_SCRIPT = [
  '<script type="module">const tokenProvider = async () => {',
  "const response = await fetch('/pulse-token'); if (!response.ok) throw response; return response.text(); };",
  "for (const card of document.querySelectorAll('pulse-card, pulse-board')) card.tokenProvider = tokenProvider;</script>",
].join(' ');

const UNKNOWN_TOKEN: Texts = {
  title: 'The BFF requires a token, and this check has none.',
  detail: 'A script on the page might provide one, but whether it allows the page’s sources wasn’t checked.',
  fix: 'Check again with a token: run pulse-doctor with --token, or paste the token on the Check page',
};

/** If the BFF requires tokens, reports frames, and cards that have no token and can't get one from a script. */
export function tokenMissing({ elements, settings, frames: [frame] }: PageFacts, token?: string): Finding | undefined {
  const { cards, scripts, hasInlineScripts } = elements;
  const mayBeGiven = token !== undefined || cards.length === 0 || hasInlineScripts || scripts.length > 1;
  if (settings.access === 'public') return undefined;
  if (mayBeGiven && frame === undefined)
    return token === undefined && cards.length > 0 ? findingOf('token_unknown', UNKNOWN_TOKEN, 'warning') : undefined;
  const replaced = frame && `Replace the iframe with <pulse-card source-id="${frameSourceId(frame)}"></pulse-card>`;
  return findingOf('token_missing', {
    title: `The BFF requires a token, but ${mayBeGiven ? 'an iframe can’t have one' : 'nothing on the page provides a token to the cards'}.`,
    detail: 'With PULSE_ACCESS=token, each card needs a token that your backend signs. An iframe can’t have one.',
    fix: [replaced, mayBeGiven ? '' : TOKEN_SCRIPT].filter(Boolean).join(', and add '),
  });
}

const MINT = 'pulse-bff token mint --source SOURCE_ID';

function refused(reason: TokenError, title: string, publicUrl: string): Finding {
  const fixes: Partial<Record<TokenError, string>> = {
    unknown_key: 'Add the key that signs the token to PULSE_TOKEN_KEYS_FILE, under the token’s kid',
    audience: `mintToken(key, { audience: "${publicUrl}", … })`,
  };
  return findingOf('token_refused', { title, detail: 'Readers get token_invalid.', fix: fixes[reason] ?? MINT });
}

function otherOrigin({ origins }: TokenAccess, from: readonly string[], origin: string): Finding | undefined {
  if (origins === undefined || origins.some((each) => from.includes(each))) return undefined;
  return findingOf('token_origin', {
    title: `The token isn’t for pages on ${origin}.`,
    detail: 'The "origins" claim lists only other origins. Readers get token_forbidden.',
    fix: `"origins": ["${origin}"]`,
  });
}

function otherSources({ sources }: TokenAccess, page: PageFacts | undefined): Finding | undefined {
  const ids = page === undefined ? [] : sourceIdsOn(page);
  const refusedIds = ids.filter((id) => sources !== '*' && !sources.has(id));
  if (refusedIds.length === 0) return undefined;
  return findingOf('token_source', {
    title: `The token doesn’t cover ${refusedIds.join(', ')}.`,
    detail: 'The "sources" claim doesn’t list all sources on the page. Readers get token_forbidden.',
    fix: `"sources": [${ids.map((id) => JSON.stringify(id)).join(', ')}]`,
  });
}
