import { isLoopbackHost } from '@pulse-card/contract';
import type { OriginPolicy } from '../auth/origin-policy.ts';
import type { TokenKeySet } from '@pulse-card/token';
import type { Config } from '../config.ts';
import { decodedSegment } from '../http/context.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import type { FetchGuards, PageResult } from './fetch-page.ts';
import type { PageElement, PageElements } from './page-elements.ts';
import type { ContentSecurityPolicy } from './content-security-policy.ts';

/** Which sources a page shows. */
export interface PageSources {
  /** The ids of its cards and frames, ten at most. */
  readonly ids: readonly string[];
  /** It has a board, which shows all that are listed. */
  readonly hasBoard: boolean;
}

/** What is known of the sources that a page shows. */
export interface SourceFacts {
  /** Every id that may be shown; undefined where that is not known, or where any id may be. */
  readonly knownIds: readonly string[] | undefined;
  /** Where the charts of the page's sources are, as the service says; empty where that is not known. */
  readonly chartUrls: readonly string[];
  /** The sources could not be read, so that ids and charts are not checked. @default false */
  readonly isUnavailable?: boolean;
}

/** What the BFF is set to, as far as pages depend on it. */
export type DoctorSettings = Pick<Config, 'publicUrl' | 'allowedOrigins' | 'access' | 'images' | 'imageHosts'>;

/** What a diagnosis depends on beside the page. */
export interface DoctorContext {
  readonly settings: DoctorSettings;
  /** What is known of the sources that a page shows. Must not reject. */
  readonly sourceFacts: (sources: PageSources) => Promise<SourceFacts>;
  /** Requests came through a proxy that `TRUST_PROXY` does not name. @default false */
  readonly sawUntrustedProxy?: boolean;
  /** The current token keys; undefined if there are none. */
  readonly tokenKeys: TokenKeySet | undefined;
  /** Undefined where the widget is not built. */
  readonly widget: Pick<WidgetFiles, 'script' | 'hash'> | undefined;
  /** `trustedOrigins` are the BFF's own and `allowedOrigins`, unless named here. */
  readonly guards?: Partial<FetchGuards>;
  /** Gets the page. @default fetchPage */
  readonly fetchPage?: (url: URL, guards: FetchGuards) => Promise<PageResult>;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** A page and what it is judged by. */
export interface PageFacts {
  readonly url: URL;
  readonly elements: PageElements;
  readonly policies: readonly ContentSecurityPolicy[];
  /** The `Cross-Origin-Embedder-Policy` of the page. */
  readonly embedderPolicy: string | undefined;
  readonly settings: DoctorSettings;
  readonly originPolicy: OriginPolicy;
  readonly widget: DoctorContext['widget'];
  readonly sources: SourceFacts;
}

/** An address on the page, as a browser resolves it; undefined where it is none. */
export function resolved(address: string | undefined, { url, elements }: Pick<PageFacts, 'url' | 'elements'>) {
  if (address === undefined) return undefined;
  const base = elements.base !== undefined && URL.canParse(elements.base, url.href) ? new URL(elements.base, url) : url;
  const trimmed = address.trim();
  return URL.canParse(trimmed, base.href) ? new URL(trimmed, base) : undefined;
}

const SCRIPT_FILE = /\/pulse-?card[\w.-]*\.m?js$/i;

/** The scripts of the page that are the card's, by their name or because they are the BFF's. */
export function cardScripts(facts: Pick<PageFacts, 'url' | 'elements' | 'settings'>): PageElement[] {
  return facts.elements.scripts.filter(({ attributes }) => {
    const url = resolved(attributes['src'], facts);
    if (url === undefined || /\/pulse-frame(?:-page)?\.js$/.test(url.pathname)) return false;
    return SCRIPT_FILE.test(url.pathname) || isBelow(url, facts.settings.publicUrl);
  });
}

/** The frames of the page that show a card of the BFF. */
export function cardFrames(facts: Pick<PageFacts, 'url' | 'elements' | 'settings'>): PageElement[] {
  return facts.elements.frames.filter(({ attributes }) => {
    const url = resolved(attributes['src'], facts);
    return url !== undefined && isBelow(url, `${facts.settings.publicUrl}/embed`);
  });
}

/** The source of a frame. */
export function frameSourceId(frame: PageElement, facts: Pick<PageFacts, 'url' | 'elements'>): string {
  const segment = resolved(frame.attributes['src'], facts)?.pathname.split('/').at(-1) ?? '';
  return decodedSegment(segment) ?? segment;
}

/** Where a card asks for its data: its `base-url`, else where the script came from, else the BFF. */
export function baseOf(card: PageElement | undefined, facts: Pick<PageFacts, 'url' | 'elements' | 'settings'>): URL {
  const own = resolved(card?.attributes['base-url'] || undefined, facts);
  const script = resolved(cardScripts(facts)[0]?.attributes['src'], facts);
  return asFolder(own ?? (script && new URL('.', script)) ?? new URL(facts.settings.publicUrl));
}

/** Returns whether an address names no page of its origin. */
export function isBareOrigin({ pathname, search }: URL): boolean {
  return pathname === '/' && search === '';
}

/** Returns whether two addresses are the same place. All names of loopback are equal. */
export function isSamePlace(one: URL, other: URL): boolean {
  const isSameHost =
    one.host === other.host ||
    (isLoopbackHost(one.hostname) && isLoopbackHost(other.hostname) && one.port === other.port);
  return isSameHost && one.protocol === other.protocol && asFolder(one).pathname === asFolder(other).pathname;
}

/** `url` as the address of a folder, with nothing after it. */
export function asFolder(url: URL): URL {
  const folder = new URL(url);
  folder.search = '';
  folder.hash = '';
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}

/** An address without the slash at its end. */
export function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

function isBelow(url: URL, base: string): boolean {
  return url.origin === new URL(base).origin && url.pathname.startsWith(asFolder(new URL(base)).pathname);
}
