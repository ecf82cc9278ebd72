import { isLoopbackHost, matchesOrigin } from '@pulse-card/contract';
import type { TokenKeySet } from '@pulse-card/token';
import { type PagePolicy, decoded, policiesOf } from './csp.ts';
import { type PageElement, PageElements } from './html.ts';

/** Why there is no page to check. */
export interface PageFault {
  readonly kind:
    | ('private' | 'DNS' | 'TLS' | 'connection' | 'timeout' | 'body')
    | ('redirects' | 'elsewhere' | 'status' | 'not-html' | 'too-complex');
  /** The status or content type that the server sent. */
  readonly found?: string;
}

/** A page as it was served. */
export interface FetchedPage {
  readonly ok: true;
  /** The requested URL. */
  readonly asked: string;
  /** Its URL after redirects. */
  readonly url: string;
  /** The `Content-Security-Policy` in the response. */
  readonly policy: string | undefined;
  readonly body: Uint8Array;
}

/** A page, or the reason there is none. `url` is the last URL that was tried. */
export type PageResult =
  | FetchedPage
  | (Pick<FetchedPage, 'asked' | 'url'> & { readonly ok: false; readonly fault: PageFault });

/** The settings that a page is checked against. They are plain data, so that they can be sent to a worker. */
export interface DoctorSettings {
  /** The BFF's public URL. */
  readonly publicUrl: string;
  readonly allowedOrigins: '*' | readonly string[];
  /** The origins of the BFF's own pages, which are always allowed. */
  readonly ownOrigins: readonly string[];
  readonly access: 'public' | 'token';
  /** Every ID that may be shown. Undefined if the IDs are unknown. */
  readonly knownIds?: readonly string[] | undefined;
  /** The charts' URLs, by source ID. */
  readonly chartUrls: Readonly<Record<string, string>>;
  /** The current token keys. Undefined if there are no keys. */
  readonly tokenKeys?: TokenKeySet | undefined;
}

/** An element with the URL that it loads. */
export interface Located {
  readonly element: PageElement;
  readonly url: URL;
}

/** A page and the facts that it is checked against. */
export interface PageFacts {
  readonly url: URL;
  readonly elements: PageElements;
  readonly policies: readonly PagePolicy[];
  readonly settings: DoctorSettings;
  /** The card's scripts on the page, which are recognized by their name or because the BFF serves them. */
  readonly scripts: readonly Located[];
  /** All other scripts. */
  readonly otherScripts: readonly PageElement[];
  /** The frames that show a card from the BFF. */
  readonly frames: readonly Located[];
}

/** Encodings, by the byte order mark at the start of a page. */
const UTF_16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Reads a page and collects the facts that the rules use. Each URL is resolved once. */
export function factsOf({ url: href, policy, body }: FetchedPage, settings: DoctorSettings): PageFacts {
  // In every other encoding that pages use today, tags, attributes, and URLs read the same as in UTF-8.
  const encoding = UTF_16[Buffer.from(body.subarray(0, 2)).toString('hex')] ?? 'utf-8';
  const elements = new PageElements(new TextDecoder(encoding).decode(body));
  const page = { url: new URL(href), elements, policies: policiesOf(policy, elements.policies) };
  const scripts = located(elements.scripts, page).filter(({ url }) => isCardScript(url, settings.publicUrl));
  const ours = new Set(scripts.map(({ element }) => element));
  return {
    ...page,
    settings,
    scripts,
    otherScripts: elements.scripts.filter((script) => !ours.has(script)),
    frames: located(elements.frames, page).filter(({ url }) => isBelow(url, `${settings.publicUrl}/embed`)),
  };
}

/** The facts that decide what a URL on the page refers to. */
type PageBase = Pick<PageFacts, 'url' | 'elements' | 'policies'>;

function located(elements: readonly PageElement[], page: PageBase): Located[] {
  const all = elements.map((element) => ({ element, url: resolved(element.attributes['src'], page) }));
  return all.filter((each): each is Located => each.url !== undefined);
}

/** A URL on the page, as a browser resolves it. Undefined if the URL isn't valid. */
export function resolved(address: string | undefined, page: PageBase): URL | undefined {
  const base = URL.parse(page.elements.base ?? '', page.url.href) ?? page.url;
  const url = (address !== undefined && URL.parse(address.trim(), base.href)) || undefined;
  const isUpgraded = page.policies.some(({ directives }) => directives.has('upgrade-insecure-requests'));
  if (url?.protocol === 'http:' && isUpgraded && !isLoopbackHost(url.hostname)) url.protocol = 'https:';
  return url;
}

function isCardScript(url: URL, publicUrl: string): boolean {
  if (/\/pulse-frame(?:-page)?\.js$/.test(url.pathname)) return false;
  return /\/pulse-?(?:card|board)[\w.-]*\.m?js$/i.test(url.pathname) || isBelow(url, publicUrl);
}

/** The source that a frame shows. */
export function frameSourceId({ url }: Located): string {
  return decoded(url.pathname.split('/').at(-1) ?? '');
}

/**
 * The URL that a card requests its data from: its `base-url`, otherwise its script's URL, otherwise the BFF.
 */
export function baseOf(card: PageElement | undefined, facts: PageFacts): URL {
  const own = resolved(card?.attributes['base-url'] || undefined, facts);
  const script = facts.scripts[0]?.url;
  return asFolder(own ?? (script && new URL('.', script)) ?? new URL(facts.settings.publicUrl));
}

/** Returns whether a URL contains only an origin and no specific page. */
export function isBareOrigin({ pathname, search }: URL): boolean {
  return pathname === '/' && search === '';
}

/** Returns whether pages on this origin are allowed to show cards. */
export function isOriginAllowed(origin: string, { allowedOrigins, ownOrigins }: DoctorSettings): boolean {
  return allowedOrigins === '*' || matchesOrigin(allowedOrigins, origin) || ownOrigins.includes(origin);
}

/** Returns whether two URLs are equivalent. All names for a loopback host are equivalent. */
export function isSamePlace(one: URL, other: URL): boolean {
  const isBothLoopback = isLoopbackHost(one.hostname) && isLoopbackHost(other.hostname) && one.port === other.port;
  const isSameHost = one.host === other.host || isBothLoopback;
  return isSameHost && one.protocol === other.protocol && asFolder(one).pathname === asFolder(other).pathname;
}

function asFolder(url: URL): URL {
  return Object.assign(new URL(url), { search: '', hash: '', pathname: url.pathname.replace(/\/?$/, '/') });
}

/** A URL without its trailing slash. */
export function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

function isBelow(url: URL, base: string): boolean {
  return url.origin === new URL(base).origin && url.pathname.startsWith(asFolder(new URL(base)).pathname);
}
