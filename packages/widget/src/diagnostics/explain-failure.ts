import type { Failure } from '../data/result.ts';
import { blockedDirective } from './policy-violations.ts';

/** The element that failed. */
export interface FailedElement {
  readonly resolvedBaseUrl: string;
  readonly sourceId?: string;
  /** As the page has written it, without its content. */
  cloneNode(): Node;
}

/** One line for the page's developer: what failed, and what to do about it. */
export function explainFailure({ code, status }: Failure, element: FailedElement): string {
  const { resolvedBaseUrl: bff, sourceId } = element;
  const lines: Readonly<Record<string, string>> = {
    // A code can be any word.
    __proto__: null as never,
    origin_forbidden: `${location.origin} is not in PULSE_ALLOWED_ORIGINS of ${bff}; add it there`,
    invalid_source_id: `${(element.cloneNode() as Element).outerHTML} needs the source-id of a source in ${bff}/v1/sources`,
    source_unknown: `${bff} has no source "${sourceId}"; check source-id and PULSE_SOURCES`,
    token_missing: `${bff} needs a token; set tokenProvider`,
    token_invalid: `${bff} refuses the token; check it by "pulse-bff token explain"`,
    token_forbidden: `The token does not allow source "${sourceId}"; issue one that does`,
    rate_limited: `${bff} gets too many requests; behind a proxy, set TRUST_PROXY`,
    signed_out: `${bff} is behind a login; sign in again`,
    timeout: `${bff} or tokenProvider does not answer; check both`,
    network: blockedLine(bff) ?? `Cannot reach ${bff}; check base-url and tokenProvider`,
    invalid_answer: status
      ? `${bff} does not answer like a BFF; check base-url`
      : 'The pulse property holds no pulse; set what the BFF answers',
  };
  return lines[code] ?? `${bff} answered ${status} ${code}; check its /status`;
}

/** One line on a picture that cannot be loaded. */
export function explainMissingPicture(url: string): string {
  return blockedLine(url) ?? `Cannot load ${url}; check that it exists`;
}

function blockedLine(url: string): string | undefined {
  const directive = blockedDirective(url);
  return directive && `The Content-Security-Policy blocks ${new URL(url).origin}; add it to ${directive}`;
}
