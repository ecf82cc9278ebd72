import { isIP } from 'node:net';
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
  readonly chartUrls: ReadonlyMap<string, string | undefined>;
  /** The current token keys. Undefined if there are no keys, and null if the keys are unknown. */
  readonly tokenKeys?: TokenKeySet | null | undefined;
  /** Error codes of the sources that the BFF was asked for, by ID; undefined if it has a response. */
  readonly failures: ReadonlyMap<string, string | undefined>;
  /** The error code of the list of sources, if the BFF doesn't have it. */
  readonly listFailure?: string | undefined;
  /** The URL of a script on the page that the BFF doesn't have, or null. Undefined if only its name can be checked. */
  readonly missingScript?: string | null | undefined;
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
  /** The card's scripts on the page, which are recognized by their name. */
  readonly scripts: readonly Located[];
  /** All other scripts. */
  readonly otherScripts: readonly PageElement[];
  /** The frames that show a card from the BFF. */
  readonly frames: readonly Located[];
}

/** Encodings, by the byte order mark at the start of a page. */
const UTF_16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Reads a page. */
export function pageOf({ url, policy, body }: FetchedPage): PageBase {
  // In every other encoding that pages use today, tags, attributes, and URLs read the same as in UTF-8.
  const encoding = UTF_16[Buffer.from(body.subarray(0, 2)).toString('hex')] ?? 'utf-8';
  const elements = new PageElements(new TextDecoder(encoding).decode(body));
  return { url: new URL(url), elements, policies: policiesOf(policy, elements.policies) };
}

/** Collects the facts that the rules use. */
export function factsOf(base: PageBase, settings: DoctorSettings): PageFacts {
  const page = { ...base, settings };
  const { elements } = page;
  const scripts = located(elements.scripts, page);
  const embed = asFolder(new URL(`${settings.publicUrl}/embed`)).href;
  const isOurs = ({ url }: Located) => CARD_SCRIPT.test(url.pathname);
  return {
    ...page,
    scripts: scripts.filter(isOurs),
    otherScripts: scripts.filter((script) => !isOurs(script)).map(({ element }) => element),
    frames: located(elements.frames, page).filter(({ url }) => url.href.startsWith(embed)),
  };
}

/** The facts that decide what a URL on the page refers to. */
type PageBase = Pick<PageFacts, 'url' | 'elements' | 'policies'>;

/** Elements with the URLs that they load. */
export function located(elements: readonly PageElement[], page: PageBase & Pick<PageFacts, 'settings'>): Located[] {
  const all = elements.map((element) => ({ element, url: completed(element.attributes['src'], page) }));
  return all.filter((each): each is Located => each.url !== undefined);
}

/** A URL on the page. If only its scheme is missing, as in `localhost:4020/pulse-card.js`, the scheme is added. */
function completed(address: string | undefined, page: Parameters<typeof located>[1]): URL | undefined {
  const [, host = '', port] = /^(localhost|[\w-]+(?:\.[\w-]+)+)(:\d+)?(?:\/|$)/i.exec(address?.trim() ?? '') ?? [];
  // A folder's name can contain dots, too.
  const isHost = port || isIP(host) || ['localhost', new URL(page.settings.publicUrl).hostname].includes(host);
  return resolved(isHost ? `${isLoopbackHost(host) ? 'http' : 'https'}://${address?.trim()}` : address, page);
}

/** A URL on the page, as a browser resolves it. Undefined if it isn't the URL of something on a web server. */
export function resolved(address: string | undefined, page: PageBase): URL | undefined {
  const base = URL.parse(page.elements.base ?? '', page.url.href) ?? page.url;
  const url = (typeof address === 'string' && URL.parse(address.trim(), base.href)) || undefined;
  if (!/^https?:$/.test(url?.protocol ?? '')) return undefined;
  const isUpgraded = page.policies.some(({ directives }) => directives.has('upgrade-insecure-requests'));
  if (url?.protocol === 'http:' && isUpgraded && !isLoopbackHost(url.hostname)) url.protocol = 'https:';
  return url;
}

/** Another server can have the card's script under another name. */
const CARD_SCRIPT = /\/pulse-?(?:card|board)[\w.-]*\.m?js$/i;

/** People copy a BFF's URL together with the path of its API, of a frame, or of a script. */
export const NOT_BASE: RegExp = /\/(?:v1|embed|pulse-[\w-]+\.js)(?:\/.*)?$/;

/** The source that a frame shows. */
export function frameSourceId({ url }: Located): string {
  return decoded(url.pathname.split('/embed/').at(-1) ?? '');
}

/** The URL that a card requests its data from: its `base-url`, otherwise its script's URL, otherwise the BFF. */
export function baseOf(card: PageElement | undefined, facts: PageFacts): URL {
  return writtenBase(card, facts) ?? asFolder(new URL(facts.settings.publicUrl));
}

/** The same, if it's on the page. */
export function writtenBase(card: PageElement | undefined, facts: PageFacts): URL | undefined {
  const own = completed(card?.attributes['base-url'] || undefined, facts);
  const script = facts.scripts[0]?.url;
  const base = own ?? (script && new URL('.', script));
  return base && asFolder(base);
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
  return Object.assign(new URL(url), { search: '', hash: '', pathname: url.pathname.replace(/\/*$/, '/') });
}

/** A URL without its trailing slash. */
export function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
