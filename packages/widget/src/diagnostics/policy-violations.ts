const directives = new Map<string, string>();

/**
 * Records the addresses that the page's policy blocks, so that the log line about a failed request can mention the
 * policy.
 */
export function onPolicyViolation({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) directives.set(new URL(blockedURI).origin, effectiveDirective);
}

/** The directive that has blocked `origin`; undefined if no directive has. */
export function blockingDirective(origin: string): string | undefined {
  return directives.get(origin);
}
