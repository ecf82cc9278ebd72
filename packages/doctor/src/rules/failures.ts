import { NOT_BASE, type PageFacts, withoutSlash } from '../facts.ts';
import { type Finding, findingOf, type Texts } from '../finding.ts';
import { sourceIdsOn } from './tags.ts';
import { REFUSALS } from './token.ts';

/** Reports why the BFF can't show the page's sources. */
export function failureFindings(facts: PageFacts): (Finding | undefined)[] {
  const { elements, frames, scripts, settings } = facts;
  const { failures, listFailure, knownIds, publicUrl } = settings;
  const ids = sourceIdsOn({ elements, frames });
  const hasBoard = elements.cards.some(({ name }) => name === 'pulse-board');
  // Cards don't need the list, and the key might not be allowed to read it.
  const needsList = hasBoard || (ids.length === 0 && !listFailure?.startsWith('upstream_'));
  // If the IDs are unknown because the list fails, its failure applies to all other sources.
  const codes = new Map(ids.map((id) => [id, knownIds || failures.has(id) ? failures.get(id) : listFailure]));
  if (needsList) codes.set('the list of sources', listFailure);
  const wrong = scripts.find(({ url }) => withoutSlash(new URL('.', url)) === publicUrl && !OWN.test(url.pathname));
  const missingScript = settings.missingScript === undefined ? wrong?.url.href : settings.missingScript;
  if (missingScript) codes.set(missingScript, '404');
  const targetsByCode = Map.groupBy(codes.keys(), (target) => codes.get(target));
  return Array.from(targetsByCode, ([code, targets]) => {
    if (code === undefined || OTHERS.includes(code)) return undefined;
    if (code === 'signed_out') return findingOf('login_required', LOGIN_REQUIRED, 'warning');
    if (code === 'unreachable' || code === 'not_found') return noBff(code === 'not_found', facts);
    return findingOf(REFUSALS.includes(code) ? 'token_refused' : 'bff_refuses', {
      title: `The BFF responds with ${code} for ${targets.join(', ')}.`,
      detail: `Until that changes, cards on this page fail.${FIXES.has(code) ? '' : ' The BFF’s log says why.'}`,
      fix: FIXES.get(code) ?? 'On the BFF’s machine, run the check command of pulse-bff',
    });
  });
}

/** The names of a BFF's scripts, of which one can have a hash. */
const OWN = /\/pulse-(?:card|board)(?:-\w+)?\.js$/;

/** Codes that other rules report, and the code of a source that has no pulse yet. */
const OTHERS = ['on_loopback', 'origin_forbidden', 'token_missing', 'source_unknown', 'pulse_not_found'];

/** What to do about failures that have nothing to do with the service. */
const FIXES = new Map([
  ['404', 'Correct the URL of the script, or run npm run build on the server and restart the BFF'],
  ['internal', 'Find the reason in the BFF’s log'],
  ['rate_limited', 'Wait a minute, then check the page again'],
  ['token_forbidden', 'Add the IDs to the token’s "sources", and the page’s origin to its "origins" if it has any'],
  ['token_invalid', 'pulse-bff token mint --source SOURCE_ID'],
]);

const LOGIN_REQUIRED: Texts = {
  title: 'The BFF requires a login.',
  detail: 'This check isn’t signed in, so it can’t tell whether readers get the page’s sources.',
  fix: 'Sign in, then look for the card’s line in the browser’s console',
};

function noBff(isOther: boolean, { settings: { publicUrl }, scripts: [script] }: PageFacts): Finding {
  const places = [publicUrl.replace(NOT_BASE, ''), script && withoutSlash(new URL('.', script.url))];
  const right = places.find((place) => place !== publicUrl) ?? (isOther ? 'https://your-bff.example.com' : '');
  return findingOf(isOther ? 'bff_refuses' : 'bff_unreachable', {
    title: isOther ? `There is no BFF at ${publicUrl}.` : `The BFF at ${publicUrl} doesn’t respond from here.`,
    detail: isOther
      ? 'The server there sends something else, such as a redirect.'
      : 'If readers can’t reach it either, cards on this page fail.',
    fix: `${isOther ? 'Correct' : 'Start the BFF, or correct'} the URL of the script or base-url${right && `: ${right}`}`,
  });
}
