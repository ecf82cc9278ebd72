const directives = new Map<string, string>();

/** Remembers what the policy of the page blocks, so that a failed request can say so. */
export function onPolicyViolation({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) directives.set(new URL(blockedURI).origin, effectiveDirective);
}

/** The directive that has blocked `origin`; undefined if none has. */
export function blockingDirective(origin: string): string | undefined {
  return directives.get(origin);
}
