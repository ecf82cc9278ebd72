const directives = new Map<string, string>();

/**
 * Records the URLs that the page's policy blocks, so that the log line about a failed request can mention the
 * policy.
 */
export function onPolicyViolation({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void {
  if (URL.canParse(blockedURI)) directives.set(new URL(blockedURI).origin, effectiveDirective);
}

/** The directive that blocked the origin of `url`; undefined if none did. */
export function blockingDirective(url: string): string | undefined {
  return URL.canParse(url) ? directives.get(new URL(url).origin) : undefined;
}
