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

/** What a host may consist of in a policy: some hosts of addresses hold `;`, `,` or `*`, which mean other things there. */
const PLAIN_ORIGIN = /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/;

/** The origin of a chart's address, as a list; empty where there is none that a policy can name. */
export function imageOriginsOf(imageUrl: string | null | undefined): readonly string[] {
  const origin = imageUrl && URL.canParse(imageUrl) && /^https?:/.test(imageUrl) ? new URL(imageUrl).origin : '';
  return PLAIN_ORIGIN.test(origin) ? [origin] : [];
}
