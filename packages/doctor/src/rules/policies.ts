import {
  allows,
  type ContentSecurityPolicy,
  directiveWith,
  type FetchKind,
  governing,
  hasNonce,
  isStrictDynamic,
} from '../csp.ts';
import { baseOf, type PageFacts, resolved, withoutSlash } from '../facts.ts';
import { errorFinding, type Finding } from '../finding.ts';
import { scriptTag } from './script.ts';
import { sourceIdsOn } from './tags.ts';

/** Maximum number of URLs of each kind to check. */
const MAX_URLS = 20;

/** Reports which of the card's resources the page's policies block: its script, its data, its charts, or its frame. */
export function policyFindings(facts: PageFacts): Finding[] {
  const requests = {
    connect: connectUrls(facts),
    image: imageUrls(facts),
    frame: distinct(facts.frames.map(({ url }) => url)),
  };
  const found = facts.policies.flatMap((policy) => [
    scriptFinding(policy, facts),
    ...(['connect', 'image', 'frame'] as const).map((kind) => blocked(policy, kind, requests[kind], facts.url)),
  ]);
  return found.filter((each) => each !== undefined);
}

const KINDS = {
  script: { code: 'csp_script', what: 'the card’s script' },
  connect: { code: 'csp_connect', what: 'the card’s data' },
  image: { code: 'csp_image', what: 'the charts' },
  frame: { code: 'csp_frame', what: 'the card’s frame' },
} as const;

function blocked(policy: ContentSecurityPolicy, kind: FetchKind, urls: readonly URL[], page: URL): Finding | undefined {
  const refused = urls.filter((url) => !allows(policy, { kind, url }, page));
  return refused.length === 0 ? undefined : finding(policy, kind, refused);
}

function finding(policy: ContentSecurityPolicy, kind: FetchKind, refused: readonly URL[], fix?: string): Finding {
  const origins = [...new Set(refused.map(({ origin }) => origin))];
  const { code, what } = KINDS[kind];
  const directive = governing(policy, kind) ?? 'default-src';
  return errorFinding(code, {
    title: `The page’s content security policy blocks ${what}.`,
    detail: `${directive} in the ${policy.place === 'header' ? 'Content-Security-Policy header' : '<meta> policy'} doesn’t allow ${origins.join(', ')}.`,
    fix: fix ?? directiveWith(policy, kind, origins),
  });
}

function scriptFinding(
  policy: ContentSecurityPolicy,
  { scripts, settings, url: page }: PageFacts,
): Finding | undefined {
  const [script] = scripts;
  const { nonce, integrity } = script?.element.attributes ?? {};
  if (script === undefined || allows(policy, { kind: 'script', url: script.url, nonce, integrity }, page))
    return undefined;
  return finding(policy, 'script', [script.url], strictFix(policy, script.url, settings.integrity));
}

/** The fix if only nonces and hashes count. A URL wouldn't help in this case. */
function strictFix(policy: ContentSecurityPolicy, url: URL, integrity: string | undefined): string | undefined {
  const sources = policy.directives.get(governing(policy, 'script') ?? '') ?? [];
  if (!isStrictDynamic(sources)) return undefined;
  if (!hasNonce(sources) && integrity !== undefined) return directiveWith(policy, 'script', [`'${integrity}'`]);
  const file = url.pathname.split('/').at(-1) ?? '';
  return scriptTag(withoutSlash(new URL('.', url)), { file, nonce: 'this response’s nonce' });
}

/** The URLs that the cards request their data from. */
function connectUrls(facts: PageFacts): URL[] {
  return distinct(facts.elements.cards.map((card) => new URL('v1/pulses', baseOf(card, facts))));
}

/** The URLs of the page's charts, on the CDN and on the BFF. */
function imageUrls(facts: PageFacts): URL[] {
  const { elements, settings } = facts;
  const written = elements.cards.flatMap((card) => card.images.map((image) => resolved(image, facts)));
  const delivered =
    settings.images === 'proxy'
      ? elements.cards.map((card) => new URL('v1/sources/id/image', baseOf(card, facts)))
      : chartUrls(facts);
  return distinct(
    [...delivered, ...written].filter((url) => url !== undefined && /^https?:$/.test(url.protocol)) as URL[],
  );
}

/** The charts in the cards on the page. A board shows all sources' charts. */
function chartUrls({ elements, settings }: PageFacts): URL[] {
  const hasBoard = elements.cards.some(({ name }) => name === 'pulse-board');
  const ids = hasBoard ? Object.keys(settings.chartUrls) : sourceIdsOn({ elements, frames: [] });
  const urls = ids.flatMap((id) => settings.chartUrls[id] ?? []);
  return urls.flatMap((url) => URL.parse(url) ?? []);
}

/** The first few `urls`, without duplicates. */
function distinct(urls: readonly URL[]): URL[] {
  return [...new Map(urls.map((url) => [url.href, url])).values()].slice(0, MAX_URLS);
}
