let refused = false;

/** Says whether the page's policy refused what templates are made with. */
export function isPolicyRefused(): boolean {
  return refused;
}

/** Makes markup that the page lets through; typed as the text it is for the sinks that take it. */
export interface Policy {
  createHTML(html: string): string;
}

/**
 * The Trusted Types policy of the one file, named as Lit's own is; where the page refuses it, the card stays away. A second
 * copy of the file renders nothing, so it asks for none: a policy may exist once.
 */
export function createPolicy(): Policy | undefined {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  try {
    if (!customElements.get('pulse-card'))
      return trustedTypes?.createPolicy('lit-html', { createHTML: (html) => html });
  } catch {
    refused = true;
  }
  return undefined;
}
