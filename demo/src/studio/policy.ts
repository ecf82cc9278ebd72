import type { StudioSettings } from '@pulse-card/bff';
import { type CodeTab, needsOf } from './code-tabs.ts';

/** The origins that a page's policy has to allow. */
export interface PolicyFacts {
  readonly bffOrigin: string;
  /** The source of the script: an origin, or the complete URL of one file. */
  readonly scriptSource: string;
  /** The origins that charts are loaded from. */
  readonly imageOrigins: readonly string[];
}

/** The Content-Security-Policy that a tab's code needs, with one directive per line. */
export function policyLines(tab: CodeTab, { bffOrigin, scriptSource, imageOrigins }: PolicyFacts): readonly string[] {
  if (tab === 'iframe') return [`frame-src ${bffOrigin}`];
  const images = `img-src ${[...new Set(imageOrigins)].join(' ')}`;
  const connect = `connect-src ${bffOrigin}`;
  if (tab !== 'server' && needsOf(tab) === 'package') return [connect, images];
  if (tab === 'server') return [`script-src ${scriptSource}`, `style-src ${bffOrigin}`, connect, images];
  return [`script-src ${scriptSource}`, connect, images];
}

/**
 * The facts for the policy: the configured hosts, the chart's host, and the BFF, whose image URL the snippet uses.
 */
export function policyFactsOf(
  { publicUrl, images }: Pick<StudioSettings, 'publicUrl' | 'images'>,
  chartOrigin: string | undefined,
  pinnedUrl?: string | null,
): PolicyFacts {
  const bffOrigin = new URL(publicUrl).origin;
  const hosts = images.hosts.map(withScheme);
  const charts =
    images.mode === 'proxy' ? [] : hosts.length > 0 ? hosts : chartOrigin === undefined ? [] : [chartOrigin];
  return { bffOrigin, scriptSource: pinnedUrl ?? bffOrigin, imageOrigins: [bffOrigin, ...charts] };
}

/** Whether the charts' host is unknown, because no host is set and no chart is known. */
export function lacksChartOrigin({ images }: Pick<StudioSettings, 'images'>, chartOrigin: string | undefined): boolean {
  return images.mode === 'direct' && images.hosts.length === 0 && chartOrigin === undefined;
}

/** Whether a site's pages are allowed to show cards from this BFF. */
export type SiteVerdict =
  | { readonly allowed: true; readonly origin: string }
  | { readonly allowed: false; readonly origin: string; readonly line: string }
  | { readonly allowed: undefined; readonly problem: string };

/** Reads the URL that someone typed for their site and checks whether its origin is allowed. */
export function siteVerdict(
  text: string,
  { allowedOrigins, ownOrigins }: Pick<StudioSettings, 'allowedOrigins' | 'ownOrigins'>,
): SiteVerdict {
  const origin = originOf(text);
  if (origin === undefined) return { allowed: undefined, problem: 'Enter a URL such as https://www.example.com.' };
  if (allowedOrigins === '*' || allowedOrigins.includes(origin) || ownOrigins.includes(origin))
    return { allowed: true, origin };
  return { allowed: false, origin, line: `PULSE_ALLOWED_ORIGINS=${[...allowedOrigins, origin].join(',')}` };
}

/** The URL of this Studio and, if known, the command that started it with its BFF. */
export interface StudioStart {
  readonly command: string | undefined;
  readonly ownOrigin: string;
}

/**
 * The line that changes one of the BFF's variables. If the command that started the BFF is known, the line ends with
 * that command, minus the variable's previous value. The command adds the Studio's own origins.
 */
export function operatorLine(line: string, { command, ownOrigin }: StudioStart): string {
  const [, name, value = ''] = /^(PULSE_[A-Z_]+|TRUST_PROXY)=(.*)$/.exec(line) ?? [];
  if (name === undefined || command === undefined) return line;
  const own = [ownOrigin, ownOrigin.replace('//localhost:', '//127.0.0.1:')];
  const others = value.split(',').filter((origin) => !own.includes(origin));
  // A shell would use the last value.
  const rest = command.replace(new RegExp(String.raw`(?<!\S)${name}=(?:'[^']*'|\\'|[^\s'])* `), '');
  return `${name}=${others.join(',')} ${rest}`;
}

/** A URL with its scheme. The default is `http:` on this machine and `https:` elsewhere. */
export function withScheme(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || /^https?:\/\//i.test(trimmed)) return trimmed;
  return `${LOOPBACK.test(trimmed) ? 'http' : 'https'}://${trimmed}`;
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?=[:/?#]|$)/i;

/** The origin of a URL whose scheme might be missing. */
export function originOf(text: string): string | undefined {
  const address = withScheme(text);
  if (/\s/.test(address) || !URL.canParse(address)) return undefined;
  const { origin, hostname } = new URL(address);
  // A host can't contain a wildcard, but some browsers accept one and escape it.
  if (/[*%]/.test(hostname)) return undefined;
  return hostname.includes('.') || hostname === 'localhost' || hostname.startsWith('[') ? origin : undefined;
}
