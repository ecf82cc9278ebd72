import type { PageFault, PageResult } from './fetch-page.ts';
import { errorFinding, type Finding, warningFinding } from './finding.ts';

/** Explains why the page could not be read. This is a warning if the page was not reached, or if only an origin was given. */
export function pageFaultFindings(
  { fault, url }: PageResult & { ok: false },
  { isBareOrigin }: { readonly isBareOrigin: boolean },
): Finding[] {
  const wasReached = fault.kind !== 'private' && fault.kind !== 'unreachable';
  const finding = wasReached && !isBareOrigin ? errorFinding : warningFinding;
  const { code, title, detail, fix } = textsOf(fault, url);
  return [finding(code, { title, detail: `${detail} Only the origin was checked.`, fix })];
}

/** Warns that only the start of the page was read. */
export function truncatedFinding(): Finding {
  return warningFinding('page_truncated', {
    title: 'The page is longer than 2 MiB.',
    detail: 'What comes after that was not checked.',
    fix: 'pulse-bff doctor URL of a shorter page with the same card',
  });
}

const LAYERS = {
  DNS: 'Its name could not be looked up from here (DNS).',
  TLS: 'Its certificate is not valid, or it does not speak TLS on that port.',
  connection: 'There was no connection, or it was cut.',
  timeout: 'It was not there within 10 seconds.',
  body: 'Its content encoding is unknown or broken.',
} as const;

function textsOf(fault: PageFault, { origin, pathname }: URL): Pick<Finding, 'code' | 'title' | 'detail' | 'fix'> {
  const again = `pulse-bff doctor ${origin}${pathname}`;
  switch (fault.kind) {
    case 'private':
      return {
        code: 'page_private',
        title: `${origin} is not on the public internet, so its page was not fetched.`,
        detail: 'A person at a terminal may allow it.',
        fix: `${again} --allow-private`,
      };
    case 'unreachable':
      return {
        code: 'page_unreachable',
        title: `The page at ${origin} could not be fetched.`,
        detail: LAYERS[fault.layer],
        fix: again,
      };
    case 'redirects':
      return {
        code: 'page_redirects',
        title: 'The page redirects more than three times, or to something that is no web page.',
        detail: `The last address was ${origin}.`,
        fix: 'pulse-bff doctor URL of the page that browsers end at',
      };
    case 'status':
      return {
        code: 'page_status',
        title: `The page at ${origin} answers ${fault.status}.`,
        detail:
          fault.status === 401 || fault.status === 403
            ? 'It wants a login, or refuses programs.'
            : 'A page with a card answers 200.',
        fix: again,
      };
    default:
      return {
        code: 'page_not_html',
        title: 'There is no HTML at this address.',
        detail: `Its type is ${fault.contentType || 'unknown'}.`,
        fix: 'Content-Type: text/html; charset=utf-8',
      };
  }
}
