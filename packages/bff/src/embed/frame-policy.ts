/** What the headers of a page for a frame are made from. */
export interface FramePolicyFacts {
  readonly allowedOrigins: '*' | readonly string[];
  /** Where charts may come from, as origins. */
  readonly imageOrigins: readonly string[];
}

/**
 * The headers of every page for a frame: what it may load, and who may frame it. There is no `X-Frame-Options`, which knows
 * no list and would overrule one.
 */
export function framePolicy({ allowedOrigins, imageOrigins }: FramePolicyFacts): readonly string[] {
  const ancestors = allowedOrigins === '*' ? '*' : ["'self'", ...allowedOrigins].join(' ');
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src ${imageOrigins.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ];
  return [
    'Content-Security-Policy',
    directives.join('; '),
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'X-Robots-Tag',
    'noindex',
    'Vary',
    'Accept-Encoding',
  ];
}

/** The origin of a chart's address, as a list; empty where there is none. */
export function imageOriginsOf(imageUrl: string | null | undefined): readonly string[] {
  return imageUrl && URL.canParse(imageUrl) ? [new URL(imageUrl).origin] : [];
}
