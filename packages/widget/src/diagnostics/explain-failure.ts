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
  const lines: Readonly<Record<string, string | undefined>> = {
    // A code can be any word.
    __proto__: null as never,
    origin_forbidden: `${location.origin} is not in PULSE_ALLOWED_ORIGINS of ${bff}; add it there`,
    invalid_source_id: `${(element.cloneNode() as Element).outerHTML} needs the source-id of a source in ${bff}/v1/sources`,
    network: blockedLine(bff),
    invalid_answer: status ? undefined : 'The pulse property holds no pulse; set what the BFF answers',
  };
  const advice: Readonly<Record<string, string>> = {
    __proto__: null as never,
    source_unknown: `source-id "${sourceId}" and PULSE_SOURCES`,
    token_missing: 'tokenProvider',
    token_invalid: 'the token by "pulse-bff token explain"',
    token_forbidden: `that the token allows "${sourceId}"`,
    rate_limited: 'TRUST_PROXY, if it is behind a proxy',
    signed_out: 'that you are signed in',
    timeout: 'it and tokenProvider',
    network: 'base-url and tokenProvider',
    invalid_answer: 'base-url',
  };
  return (
    lines[code] ?? `Cannot load from ${bff} (${status} ${code}); check ${advice[code] ?? '/status on its private port'}`
  );
}

/** One line on a picture that cannot be loaded. */
export function explainMissingPicture(url: string): string {
  return blockedLine(url) ?? `Cannot load ${url}; check that it exists`;
}

function blockedLine(url: string): string | undefined {
  const directive = blockingDirective(url);
  return directive && `The Content-Security-Policy blocks ${new URL(url).origin}; add it to ${directive}`;
}
