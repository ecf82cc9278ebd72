let refused = false;

/** Says whether the page's policy refused what Lit needs to make its templates. */
export function isPolicyRefused(): boolean {
  return refused;
}

/** The Trusted Types policy of Lit in the one-file build: where Lit alone would throw, the card stays away instead. */
export function createPolicy<Policy>(
  trustedTypes: { createPolicy(name: string, rules: object): Policy } | undefined,
): Policy | undefined {
  try {
    return trustedTypes?.createPolicy('lit-html', { createHTML: (html: string) => html });
  } catch {
    refused = true;
    return undefined;
  }
}
