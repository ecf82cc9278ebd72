import type { Config } from '../config.ts';

/** What the pages of the Studio may load and run: their own files, and charts from wherever the service has them. */
export function studioPolicy({
  publicUrl,
  baseUrl,
  altBaseUrl,
}: Pick<Config, 'publicUrl' | 'baseUrl' | 'altBaseUrl'>): string {
  const own = new URL(publicUrl).origin;
  const service = [baseUrl, altBaseUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  return [
    "default-src 'self'",
    `img-src 'self' https: ${[...new Set([own, ...service])].join(' ')}`,
    `frame-src 'self' ${own}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
