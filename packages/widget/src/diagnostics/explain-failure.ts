import type { Failure } from '../data/result.ts';
import { blockingDirective } from './policy-violations.ts';

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
  const advice: Readonly<Record<string, string>> = {
    // A code can be any word.
    __proto__: null as never,
    origin_forbidden: `add ${location.origin} to PULSE_ALLOWED_ORIGINS`,
    invalid_source_id: `set the source-id of ${(element.cloneNode() as Element).outerHTML}`,
    source_unknown: `check source-id "${sourceId}" and PULSE_SOURCES`,
    rate_limited: 'check TRUST_PROXY',
    signed_out: 'sign in again',
  };
  const usual = status < 500 ? 'check base-url, tokenProvider and pulse' : 'check its /status';
  return failureLine(`${bff} (${status} ${code})`, policyAdvice(bff) ?? advice[code] ?? usual);
}

/** One line on a picture that cannot be loaded. */
export function explainMissingPicture(url: string): string {
  return failureLine(url, policyAdvice(url) ?? 'check that it exists');
}

function failureLine(what: string, advice: string): string {
  return `Cannot load from ${what}; ${advice}`;
}

function policyAdvice(url: string): string | undefined {
  const directive = blockingDirective(url);
  return directive && `add ${new URL(url).origin} to ${directive} of the Content-Security-Policy`;
}
