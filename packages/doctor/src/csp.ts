import parseDirectives from 'content-security-policy-parser';

/** An enforced policy on a page. A page can have several policies, and each of them must allow a request. */
export interface PagePolicy {
  /** `Content-Security-Policy header` or `<meta> policy`. */
  readonly place: string;
  readonly directives: ReadonlyMap<string, readonly string[]>;
}

/** The kinds of requests that a policy governs. */
export type FetchKind = 'script' | 'connect' | 'image' | 'frame';

/** A request from the page. */
export interface PolicyRequest {
  readonly kind: FetchKind;
  readonly url: URL;
  /** A script's attributes. */
  readonly nonce?: string | undefined;
  readonly integrity?: string | undefined;
}

/** Directives by the kind of request that they govern, most specific first (CSP 3, 6.8.3). */
const DIRECTIVES: Readonly<Record<FetchKind, readonly [string, ...string[]]>> = {
  script: ['script-src-elem', 'script-src', 'default-src'],
  connect: ['connect-src', 'default-src'],
  image: ['img-src', 'default-src'],
  frame: ['frame-src', 'child-src', 'default-src'],
};

/** The policies on a page. A header may list several of them, separated by commas. */
export function policiesOf(header = '', metas: readonly string[] = []): PagePolicy[] {
  const headers = header.split(',').map((text) => policyIn(text, 'Content-Security-Policy header'));
  const policies = [...headers, ...metas.map((text) => policyIn(text, '<meta> policy'))];
  return policies.filter(({ directives }) => directives.size > 0);
}

/** White space is collapsed first, because the parser takes quadratic time for long white space. */
function policyIn(text: string, place: string): PagePolicy {
  return { place, directives: parseDirectives(text.replace(/[\t\n\f\r ]+/g, ' ')) };
}

/** The directive in `policy` that governs requests of this kind; undefined if there is none. */
export function governing(policy: PagePolicy, kind: FetchKind): string | undefined {
  return DIRECTIVES[kind].find((name) => policy.directives.has(name));
}

/** Returns whether `policy` allows the page at `page` to make this request (CSP 3, 6.7.1 and 6.7.2). */
export function allows(policy: PagePolicy, request: PolicyRequest, page: URL): boolean {
  const name = governing(policy, request.kind);
  if (name === undefined) return true;
  const sources = policy.directives.get(name) ?? [];
  if (request.kind === 'script' && allowsScript(sources, request)) return true;
  if (request.kind === 'script' && isStrictDynamic(sources)) return false;
  return sources.some((source) => matches(source, request.url, page));
}

/** Returns whether `sources` allow scripts only by nonce or hash, which means that URLs are ignored. */
export function isStrictDynamic(sources: readonly string[]): boolean {
  return sources.some((source) => source.toLowerCase() === "'strict-dynamic'");
}

function allowsScript(sources: readonly string[], { nonce, integrity }: PolicyRequest): boolean {
  if (nonce && sources.some((source) => /^'nonce-(.+)'$/i.exec(source)?.[1] === nonce)) return true;
  const hashes = integrity?.trim().split(/\s+/).filter(Boolean) ?? [];
  return hashes.length > 0 && hashes.every((hash) => sources.includes(`'${hash}'`));
}

/** The line of the directive that governs `kind`, with `additions` merged into it. They replace `'none'`. */
export function directiveWith(policy: PagePolicy, kind: FetchKind, additions: readonly string[]): string {
  const name = governing(policy, kind) ?? 'default-src';
  // A directive is added if only `default-src` governs the request.
  const added = kind === 'script' ? 'script-src' : DIRECTIVES[kind][0];
  const sources = policy.directives.get(name)?.filter((source) => source.toLowerCase() !== "'none'") ?? [];
  return [name === 'default-src' ? added : name, ...new Set([...sources, ...additions])].join(' ');
}

/** A host as it appears in a policy. Browsers ignore an entry with an IPv6 address (CSP 3, section 2.3.1). */
const HOST_SOURCE =
  /^(?:(?<scheme>[a-z][a-z\d+.-]*):\/\/)?(?<host>\*|(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?)(?::(?<port>\d+|\*))?(?<path>\/[^?#]*)?$/i;

function matches(source: string, url: URL, page: URL): boolean {
  if (source === '*') return /^(?:https?|wss?):$/.test(url.protocol);
  if (/^'self'$/i.test(source)) return url.host === page.host && schemeMatches(page.protocol, url.protocol);
  const scheme = /^([a-z][a-z\d+.-]*):$/i.exec(source)?.[1];
  if (scheme !== undefined) return schemeMatches(`${scheme.toLowerCase()}:`, url.protocol);
  const { scheme: named, host = '', port, path } = HOST_SOURCE.exec(source)?.groups ?? {};
  const wanted = named === undefined ? page.protocol : `${named.toLowerCase()}:`;
  if (host === '' || !schemeMatches(wanted, url.protocol)) return false;
  return hostMatches(host.toLowerCase(), url.hostname) && portMatches(port, url) && pathMatches(url.pathname, path);
}

function schemeMatches(named: string, actual: string): boolean {
  return named === actual || (named === 'http:' && actual === 'https:');
}

function hostMatches(pattern: string, hostname: string): boolean {
  return pattern === '*' || (pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern);
}

function portMatches(named: string | undefined, { port, protocol }: URL): boolean {
  if (named === undefined) return port === '';
  const actual = port || (protocol === 'https:' ? '443' : '80');
  return named === '*' || named === actual || (named === '80' && actual === '443');
}

function pathMatches(pathname: string, pattern = '/'): boolean {
  const [wanted, actual] = [decoded(pattern), decoded(pathname)];
  return wanted.endsWith('/') ? actual.startsWith(wanted) : actual === wanted;
}

/** `text` with its percent-encoding decoded, or unchanged if it can't be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
