import { isLoopbackHost } from '@pulse-card/contract';
import { integrityOf, type WidgetFiles } from '../http/widget-files.ts';
import { errorFinding, type Finding, warningFinding } from './finding.ts';
import {
  asFolder,
  baseOf,
  cardFrames,
  cardScripts,
  isSamePlace,
  type PageFacts,
  resolved,
  withoutSlash,
} from './page-context.ts';
import { isModule, isRun, type PageElement } from './page-elements.ts';

/** Findings about the script of the card and the BFF that serves it. */
export function scriptFindings(facts: PageFacts): Finding[] {
  const scripts = cardScripts(facts);
  return [...missing(facts), ...scripts.flatMap((script) => faultsOf(script, facts)), ...placeFindings(facts)];
}

/** The tag of the card's script, for the BFF at `base`. */
export function scriptTag(base: string, { nonce, file = 'pulse-card.js', integrity }: ScriptTagOptions = {}): string {
  const attributes = Object.entries({ nonce, src: `${base}/${file}`, integrity })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${value}"`);
  return `<script type="module"${attributes.join('')}></script>`;
}

interface ScriptTagOptions {
  readonly nonce?: string | undefined;
  readonly file?: string;
  readonly integrity?: string | undefined;
}

/** Returns whether other scripts of the page may define the elements or write the tags, which its HTML does not show. */
export function mayAddCards(facts: PageFacts): boolean {
  return facts.elements.hasInlineModules || otherScripts(facts).some(({ attributes }) => isRun(attributes));
}

/** Returns whether a module of the page may import the card, or write its tag: classic scripts do so in bundles alone. */
export function mayImportCard(facts: PageFacts): boolean {
  return facts.elements.hasInlineModules || otherScripts(facts).some(({ attributes }) => isModule(attributes));
}

function otherScripts(facts: PageFacts): PageElement[] {
  const ours = cardScripts(facts);
  return facts.elements.scripts.filter((script) => !ours.includes(script));
}

function missing(facts: PageFacts): Finding[] {
  const { elements, settings } = facts;
  if (cardScripts(facts).length > 0 || elements.cards.length === 0) return [];
  const isAsBundled = elements.cards.every(({ attributes }) => attributes['base-url']);
  if (isAsBundled && mayImportCard(facts)) return [];
  const isUnsure = mayImportCard(facts) || elements.inlineScriptsNameCard || (isAsBundled && mayAddCards(facts));
  const finding = isUnsure ? warningFinding : errorFinding;
  return [
    finding('script_missing', {
      title: 'The page has no script of the card.',
      detail: isUnsure
        ? 'Without it the browser does not know the element. Ignore this where another script of the page loads or contains @pulse-card/widget.'
        : 'Without it the browser does not know the element and shows only what is inside it.',
      fix: scriptTag(settings.publicUrl),
    }),
  ];
}

function faultsOf(script: PageElement, facts: PageFacts): Finding[] {
  const { settings, widget } = facts;
  const { src = '', nonce, integrity } = script.attributes;
  const url = resolved(src, facts) ?? new URL(settings.publicUrl);
  const file = url.pathname.split('/').at(-1) ?? '';
  const base = withoutSlash(new URL('.', url));
  const where = `Line ${script.line}: ${url.href}.`;
  if (!isRun(script.attributes)) return [delayed(script, scriptTag(base, { nonce, file, integrity }))];
  if (!isModule(script.attributes))
    return [
      errorFinding('script_not_module', {
        title: 'The script of the card is not loaded as a module.',
        detail: `${where} Browsers refuse it without type="module".`,
        fix: scriptTag(base, { nonce, file, integrity }),
      }),
    ];
  const hash = /^pulse-card(?:-([\da-f]+))?\.js$/.exec(file);
  if (hash === null && isSamePlace(new URL('.', url), new URL(settings.publicUrl)))
    return [
      errorFinding('script_unknown', {
        title: 'The BFF has no script of this name.',
        detail: `${where} The script is pulse-card.js.`,
        fix: scriptTag(base, { nonce }),
      }),
    ];
  if (widget === undefined || !isSamePlace(asFolder(new URL('.', url)), new URL(settings.publicUrl))) return [];
  if (hash?.[1] !== undefined && hash[1] !== widget.hash)
    return [
      errorFinding('script_outdated', {
        title: 'The script is of another release than this BFF.',
        detail: `${where} The BFF serves the address with the hash of its own release alone.`,
        fix: scriptTag(base, { nonce, file: `pulse-card-${widget.hash}.js`, integrity: integrityOf(widget.script) }),
      }),
    ];
  return integrityFindings({ integrity, isPinned: hash?.[1] !== undefined, nonce, base, where }, widget);
}

/** What exempts a script from Cloudflare Rocket Loader, LiteSpeed Cache and WP Rocket. */
const EXEMPT = 'data-cfasync="false" data-no-optimize="1" nowprocket';

/** Browsers leave a script of an unknown type to other scripts of the page. */
function delayed({ attributes: { type = '' }, line }: PageElement, tag: string): Finding {
  return warningFinding('script_delayed', {
    title: 'Another script of the page delays that of the card.',
    detail: `Line ${line}: its type is "${type.slice(0, 40)}". An optimizer or a consent tool runs it later, or never; exempt it.`,
    fix: tag.replace(' src=', ` ${EXEMPT} src=`),
  });
}

interface IntegrityFacts {
  readonly integrity: string | undefined;
  /** The address is made of the script's bytes. */
  readonly isPinned: boolean;
  readonly nonce: string | undefined;
  readonly base: string;
  readonly where: string;
}

function integrityFindings(
  { integrity, isPinned, nonce, base, where }: IntegrityFacts,
  { script, hash }: Pick<WidgetFiles, 'script' | 'hash'>,
): Finding[] {
  if (!integrity?.trim()) return [];
  const fix = scriptTag(base, { nonce, file: `pulse-card-${hash}.js`, integrity: integrityOf(script) });
  if (!hasIntegrity(script, integrity))
    return [
      errorFinding('script_integrity', {
        title: 'The integrity of the script is not that of the script this BFF serves.',
        detail: `${where} Browsers refuse to run it.`,
        fix,
      }),
    ];
  if (isPinned) return [];
  return [
    warningFinding('script_integrity_unpinned', {
      title: 'The script has an integrity, and an address whose content changes with each release.',
      detail: `${where} Browsers refuse the script after the next update of the BFF; use the address that never changes.`,
      fix,
    }),
  ];
}

const ALGORITHMS = ['sha512', 'sha384', 'sha256'] as const;

/** The strongest algorithm decides (SRI, 3.3.4); what is no hash counts for nothing. */
function hasIntegrity(script: WidgetFiles['script'], integrity: string): boolean {
  const hashes = integrity.trim().split(/\s+/);
  const strongest = ALGORITHMS.find((algorithm) => hashes.some((hash) => hash.startsWith(`${algorithm}-`)));
  return strongest === undefined || hashes.some((hash) => hash.split('?')[0] === integrityOf(script, strongest));
}

/** The BFF that the page asks must be this one, reachable by readers, and safe to ask from the page. */
function placeFindings(facts: PageFacts): Finding[] {
  const { elements, settings, url } = facts;
  const card = elements.cards.find(({ attributes }) => attributes['base-url']) ?? elements.cards[0];
  const frame = cardFrames(facts)[0];
  if (card === undefined && cardScripts(facts).length === 0 && frame === undefined) return [];
  const base = card === undefined && frame !== undefined ? new URL(settings.publicUrl) : baseOf(card, facts);
  const isLocal = isLoopbackHost(base.hostname);
  if (isLocal && !isLoopbackHost(url.hostname)) return [onLoopback(base, settings.publicUrl)];
  if (isMixed(facts, base)) return [mixedContent(facts, base)];
  return isSamePlace(base, new URL(settings.publicUrl)) ? [] : [otherBff(base, card, facts)];
}

function onLoopback(base: URL, publicUrl: string): Finding {
  const isSet = !isLoopbackHost(new URL(publicUrl).hostname);
  return errorFinding('bff_on_loopback', {
    title: `Readers cannot reach the BFF at ${base.origin}.`,
    detail: 'That address leads each reader to their own machine.',
    fix: isSet ? scriptTag(publicUrl) : 'PULSE_PUBLIC_URL=https://the-address-of-your-bff.example.com',
  });
}

/** Pages over https: may load nothing over http:, save from loopback; `upgrade-insecure-requests` asks for https: in its place. */
function isMixed({ url, policies }: PageFacts, base: URL): boolean {
  if (base.protocol !== 'http:' || isLoopbackHost(base.hostname)) return false;
  return url.protocol === 'https:' || policies.some(({ directives }) => directives.has('upgrade-insecure-requests'));
}

function mixedContent({ url }: PageFacts, base: URL): Finding {
  const secure = withoutSlash(base).replace(/^http:/, 'https:');
  return errorFinding('mixed_content', {
    title: 'The page asks the BFF over http:.',
    detail:
      url.protocol === 'https:'
        ? `The page comes over https:, so browsers block everything from ${base.origin}. The BFF needs a certificate, or a proxy with one in front.`
        : `The policy of the page has upgrade-insecure-requests, so browsers ask ${base.origin} over https:.`,
    fix: scriptTag(secure),
  });
}

function otherBff(base: URL, card: PageElement | undefined, facts: PageFacts): Finding {
  const { publicUrl } = facts.settings;
  const isDefault = isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(base.hostname);
  const other = withoutSlash(base);
  const isLedByBase = isRelativeToBase(facts);
  const reason = isLedByBase
    ? ` <base href="${facts.elements.base}"> leads the relative address of the script there.`
    : '';
  return errorFinding('other_bff', {
    title: `The page asks ${other}, which is not this BFF.`,
    detail: `This one is ${publicUrl} (PULSE_PUBLIC_URL).${reason}`,
    fix:
      isDefault && !isLedByBase
        ? `PULSE_PUBLIC_URL=${other}`
        : card?.attributes['base-url']
          ? `base-url="${publicUrl}"`
          : scriptTag(publicUrl),
  });
}

/** Returns whether the script has a relative address, and `<base>` leads it to another origin than that of the page. */
function isRelativeToBase(facts: PageFacts): boolean {
  const src = cardScripts(facts)[0]?.attributes['src']?.trim() ?? '';
  const isRelative = !URL.canParse(src) && !src.startsWith('//');
  return isRelative && resolved(src, facts)?.origin !== facts.url.origin;
}
