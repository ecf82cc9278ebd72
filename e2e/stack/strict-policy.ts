import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@pulse-card/testkit/root';

/** A strict page's policy. */
export interface StrictPolicyOptions {
  readonly bffUrl: string;
  /** The charts' origin. */
  readonly imagesUrl: string;
  readonly withTrustedTypes: boolean;
}

/** The policy from docs/cards/csp.md for strict pages, verbatim except for the URLs. */
export function strictPolicy({ bffUrl, imagesUrl, withTrustedTypes }: StrictPolicyOptions): string {
  const page = readFileSync(join(ROOT, 'docs/cards/csp.md'), 'utf8');
  const policies = [...page.matchAll(/```http\nContent-Security-Policy: ([^`]*)```/g)].map(([, policy = '']) => policy);
  const policy = policies.find((text) => text.includes('trusted-types') === withTrustedTypes);
  if (policy === undefined) throw new Error('Can’t test the policy for strict pages: docs/cards/csp.md has no policy');
  return policy
    .replaceAll(/\s+/g, ' ')
    .replaceAll('https://pulse.example.com', bffUrl)
    .replaceAll('https://cdn.example.com', imagesUrl)
    .trim();
}
