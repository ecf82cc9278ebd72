import { isLoopbackHost } from '@pulse-card/contract';
import { errorFinding, type Finding, warningFinding } from './finding.ts';
import {
  allows,
  type ContentSecurityPolicy,
  directiveLine,
  directiveWith,
  type FetchKind,
  governing,
  hasNonce,
  isStrictDynamic,
  type PolicyRequest,
} from './content-security-policy.ts';
import { baseOf, cardFrames, cardScripts, type PageFacts, resolved, withoutSlash } from './page-context.ts';
import { scriptTag } from './script-findings.ts';
import { integrityOf } from '../http/widget-files.ts';

/** The name of the Trusted Types policy that the card's renderer makes. */
const TRUSTED_TYPES_POLICY = 'lit-html';

/** What the policies of the page keep from the card: its script, its data, its charts, its frame. */
export function policyFindings(facts: PageFacts): Finding[] {
  const hasCards = facts.elements.cards.length > 0 || cardScripts(facts).length > 0;
  return [
    ...facts.policies.flatMap((policy) => [
      ...(hasCards
        ? [...scriptFinding(policy, facts), ...connectFinding(policy, facts), ...imageFinding(policy, facts)]
        : []),
      ...frameFinding(policy, facts),
      ...(hasCards ? [...trustedTypesFinding(policy), ...sandboxFinding(policy)] : []),
    ]),
    ...embedderFindings(facts),
  ];
}

const KINDS: Readonly<
  Record<FetchKind, { code: 'csp_script' | 'csp_connect' | 'csp_image' | 'csp_frame'; what: string }>
> = {
  script: { code: 'csp_script', what: 'the script of the card' },
  connect: { code: 'csp_connect', what: 'the data of the card' },
  image: { code: 'csp_image', what: 'the charts' },
  frame: { code: 'csp_frame', what: 'the frame of the card' },
};

function blocked(policy: ContentSecurityPolicy, kind: FetchKind, urls: readonly URL[], fix?: string): Finding {
  const origins = [...new Set(urls.map(({ origin }) => origin))];
  const { code, what } = KINDS[kind];
  const directive = governing(policy, kind) ?? 'default-src';
  return errorFinding(code, {
    title: `The content security policy of the page blocks ${what}.`,
    detail: `${directive} in the ${policy.place === 'header' ? 'Content-Security-Policy header' : '<meta> policy'} does not let in ${origins.join(', ')}.`,
    fix: fix ?? directiveWith(policy, kind, origins),
  });
}

function scriptFinding(policy: ContentSecurityPolicy, facts: PageFacts): Finding[] {
  const [script] = cardScripts(facts);
  const url = resolved(script?.attributes['src'], facts);
  if (script === undefined || url === undefined) return [];
  const { nonce, integrity } = script.attributes;
  if (allows(policy, { kind: 'script', url, nonce, integrity }, facts.url)) return [];
  return [blocked(policy, 'script', [url], strictFix(policy, url, facts))];
}

/** Where only nonces and hashes count, an address does not help. */
function strictFix(policy: ContentSecurityPolicy, url: URL, { widget }: PageFacts): string | undefined {
  const sources = policy.directives.get(governing(policy, 'script') ?? '') ?? [];
  if (!isStrictDynamic(sources)) return undefined;
  const base = withoutSlash(new URL('.', url));
  const file = url.pathname.split('/').at(-1) ?? '';
  if (hasNonce(sources) || widget === undefined) return scriptTag(base, { file, nonce: 'the nonce of this answer' });
  return directiveWith(policy, 'script', [`'${integrityOf(widget.script)}'`]);
}

function connectFinding(policy: ContentSecurityPolicy, facts: PageFacts): Finding[] {
  const bases = facts.elements.cards.map((card) => baseOf(card, facts));
  const urls = bases.map((base) => new URL('v1/pulses', base));
  return blockedFinding(policy, 'connect', urls, facts.url);
}

function imageFinding(policy: ContentSecurityPolicy, facts: PageFacts): Finding[] {
  return blockedFinding(policy, 'image', imageUrls(facts), facts.url);
}

/** The addresses of the page's charts: those of the CDN and of the BFF. */
function imageUrls(facts: PageFacts): URL[] {
  const { elements, settings, sources } = facts;
  const written = elements.cards.flatMap((card) => card.images.map((image) => resolved(image, facts)));
  const delivered =
    settings.images === 'proxy'
      ? elements.cards.map((card) => new URL('v1/sources/id/image', baseOf(card, facts)))
      : sources.chartUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const named = settings.images === 'direct' && delivered.length === 0 ? settings.imageHosts : [];
  const hosts = named.map(
    (host) => new URL(`${isLoopbackHost(host.replace(/:\d+$/, '')) ? 'http' : 'https'}://${host}/`),
  );
  return [...written, ...delivered, ...hosts].filter(
    (url) => url !== undefined && /^https?:$/.test(url.protocol),
  ) as URL[];
}

function frameFinding(policy: ContentSecurityPolicy, facts: PageFacts): Finding[] {
  const urls = cardFrames(facts).flatMap(({ attributes }) => resolved(attributes['src'], facts) ?? []);
  return blockedFinding(policy, 'frame', urls, facts.url);
}

function blockedFinding(policy: ContentSecurityPolicy, kind: PolicyRequest['kind'], urls: readonly URL[], page: URL) {
  const refused = urls.filter((url) => !allows(policy, { kind, url }, page));
  return refused.length === 0 ? [] : [blocked(policy, kind, refused)];
}

function trustedTypesFinding({ directives, place }: ContentSecurityPolicy): Finding[] {
  const names = directives.get('trusted-types');
  if (names === undefined || names.includes('*') || names.includes(TRUSTED_TYPES_POLICY)) return [];
  return [
    errorFinding('csp_trusted_types', {
      title: 'The Trusted Types of the page do not allow the policy of the card.',
      detail: `trusted-types in the ${place === 'header' ? 'Content-Security-Policy header' : '<meta> policy'} does not name ${TRUSTED_TYPES_POLICY}, so the card stays away.`,
      fix: directiveLine('trusted-types', names, [TRUSTED_TYPES_POLICY]),
    }),
  ];
}

/** A sandboxed page has no scripts and no origin unless its flags allow them. A `<meta>` cannot sandbox. */
function sandboxFinding({ directives, place }: ContentSecurityPolicy): Finding[] {
  const flags = directives.get('sandbox')?.map((flag) => flag.toLowerCase());
  const needed = ['allow-scripts', 'allow-same-origin'];
  if (place === 'meta' || flags === undefined || needed.every((flag) => flags.includes(flag))) return [];
  return [
    errorFinding('csp_sandbox', {
      title: 'The page is sandboxed.',
      detail: 'A sandboxed page runs no script without allow-scripts, and has no origin without allow-same-origin.',
      fix: directiveLine('sandbox', flags, needed),
    }),
  ];
}

/** `Cross-Origin-Embedder-Policy` blocks cross-origin resources that do not opt in (HTML, 7.1.3). */
function embedderFindings(facts: PageFacts): Finding[] {
  const policy = facts.embedderPolicy?.split(';')[0]?.trim().toLowerCase();
  if (policy !== 'require-corp' && policy !== 'credentialless') return [];
  return [...(policy === 'require-corp' ? embedderImageFinding(facts) : []), ...embedderFrameFindings(facts)];
}

function embedderImageFinding(facts: PageFacts): Finding[] {
  const { settings, elements, sources } = facts;
  if (settings.images === 'proxy' || elements.cards.length === 0) return [];
  const chartHosts = sources.chartUrls.filter((url) => URL.canParse(url)).map((url) => new URL(url).host);
  const hosts = [...new Set([...settings.imageHosts, ...chartHosts])];
  return [
    warningFinding('coep_image', {
      title: 'Cross-Origin-Embedder-Policy: require-corp may block the charts.',
      detail: `Browsers show images of ${hosts.join(', ') || 'the host of the charts'} only with Cross-Origin-Resource-Policy: cross-origin. The BFF sends it.`,
      fix: `PULSE_IMAGES=proxy PULSE_IMAGE_HOSTS=${hosts.join(',') || 'cdn.example.com'}`,
    }),
  ];
}

function embedderFrameFindings(facts: PageFacts): Finding[] {
  const frames = cardFrames(facts).filter(({ attributes }) => attributes['credentialless'] === undefined);
  return frames.map(({ attributes: { src = '' }, line }) =>
    errorFinding('coep_frame', {
      title: 'Cross-Origin-Embedder-Policy blocks the frame of the card.',
      detail: `Line ${line}. The page in the frame sets no such policy itself; a frame without credentials needs none.`,
      fix: `<iframe credentialless src="${src}"></iframe>`,
    }),
  );
}
