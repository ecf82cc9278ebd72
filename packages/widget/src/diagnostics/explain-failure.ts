import { absoluteUrl } from '../data/client.ts';
import type { Failure } from '../data/result.ts';
import { blockingDirective } from './policy-violations.ts';

/** What failed: an element and the BFF that it asks. */
export interface FailedRequest {
  readonly element: Element;
  readonly baseUrl: string;
}

/** One line for the page's developer: what failed, and what to do about it. */
export function explainFailure(failure: Failure, { element, baseUrl }: FailedRequest): string {
  const { code, status, advice } = failure;
  const bff = absoluteUrl(baseUrl);
  if (code === 'invalid_source_id')
    return `${(element.cloneNode() as Element).outerHTML} needs the source-id of a source in ${bff}/v1/sources`;
  const blocked = code === 'network' && blockedLine(bff);
  if (blocked) return blocked;
  const hint = advice ?? (code === 'signed_out' ? 'sign in' : 'check base-url');
  return `Cannot load from ${bff} on ${location.origin} (${status} ${code}): ${hint}`;
}

/** One line on a picture that cannot be loaded. */
export function explainMissingPicture(url: string): string {
  return blockedLine(url) ?? `Cannot load ${url}; check that it exists`;
}

function blockedLine(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  const directive = blockingDirective(origin);
  return directive && `The Content-Security-Policy blocks ${origin}; add it to ${directive}`;
}
