import { absoluteUrl } from '../data/client.ts';
import type { Failure } from '../data/result.ts';
import { blockingDirective } from './policy-violations.ts';

/** One line for the page's developer: what failed, and what to do about it. */
export function explainFailure({ code, status, advice }: Failure, baseUrl: string): string {
  const bff = absoluteUrl(baseUrl);
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
