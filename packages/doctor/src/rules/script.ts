import { isLoopbackHost } from '@pulse-card/contract';
import { baseOf, isSamePlace, type Located, NOT_BASE, type PageFacts, resolved, withoutSlash } from '../facts.ts';
import { type Finding, findingOf } from '../finding.ts';
import { isModule, isRun, type PageElement, tagText } from '../html.ts';

/** Issues about the card's script and the BFF that serves the script. */
export function scriptFindings(facts: PageFacts): (Finding | undefined)[] {
  return [missing(facts), ...facts.scripts.map(notModule), boardUndefined(facts), placeFinding(facts)];
}

/** Issues about the URLs of cards, scripts, and frames. */
export function urlFindings(facts: PageFacts): (Finding | undefined)[] {
  const { elements, scripts, frames } = facts;
  const bases = elements.cards.map((card) => wrongUrl(card, 'base-url', baseOf(card, facts), facts));
  return [...bases, ...[...scripts, ...frames].map(({ element, url }) => wrongUrl(element, 'src', url, facts))];
}

/** A URL that browsers don't understand, or that they take for a path because its scheme is missing. */
function wrongUrl({ attributes, line }: PageElement, name: 'base-url' | 'src', right: URL, facts: PageFacts) {
  const written = attributes[name];
  const read = resolved(written, facts);
  if (!written || (read && isSamePlace(read, right))) return undefined;
  return findingOf('url_wrong', {
    title: `${name}="${written}" isn’t a complete URL.`,
    detail: `Line ${line}. Without https:// (http:// on this machine), browsers don’t find the host.`,
    fix: `${name}="${withoutSlash(right)}"`,
  });
}

/** The tag that loads the card's script. */
export function scriptTag(src: string | URL, { nonce, integrity }: PageElement['attributes'] = {}): string {
  return tagText('script', { type: 'module', nonce, src: String(src), integrity });
}

/**
 * The issue is only a warning if another script on the page could define the element. Modules can import the element,
 * and bundles can contain it.
 */
function missing({ scripts, otherScripts, elements, settings }: PageFacts): Finding | undefined {
  if (scripts.length > 0 || elements.cards.length === 0) return undefined;
  const isAsBundled = elements.cards.every(({ attributes }) => attributes['base-url']);
  const hasModules = elements.hasInlineModules || otherScripts.some(({ attributes }) => isModule(attributes));
  if (isAsBundled && hasModules) return undefined;
  const isUnsure = hasModules || (isAsBundled && otherScripts.some(({ attributes }) => isRun(attributes)));
  const title = 'The page doesn’t load the card’s script.';
  const detail = isUnsure
    ? 'Without the script, browsers don’t recognize the element. Ignore this warning if another script on the page loads or contains @pulse-card/widget.'
    : 'Without the script, browsers don’t recognize the element and show only the content inside it.';
  const fix = scriptTag(`${settings.publicUrl}/pulse-card.js`);
  return findingOf('script_missing', { title, detail, fix }, isUnsure ? 'warning' : 'error');
}

/**
 * Browsers run only a module. If an optimizer or a consent tool has replaced the type, it may restore the type later, so
 * the issue is only a warning.
 */
function notModule({ element: { attributes, line }, url }: Located): Finding | undefined {
  if (isModule(attributes)) return undefined;
  const title = 'The card’s script isn’t loaded as a module.';
  const detail = `Line ${line}: ${url.href}. Without type="module", browsers don’t run it. If an optimizer or a consent tool changes the type, exclude the script from this tool.`;
  const texts = { title, detail, fix: scriptTag(url, attributes) };
  return findingOf('script_not_module', texts, isRun(attributes) ? 'error' : 'warning');
}

/** `pulse-card.js` doesn't define the board. */
function boardUndefined({ elements, scripts, otherScripts }: PageFacts): Finding | undefined {
  const board = elements.cards.find(({ name }) => name === 'pulse-board');
  const [script] = scripts;
  if (board === undefined || script === undefined || otherScripts.some(({ attributes }) => isModule(attributes)))
    return undefined;
  if (elements.hasInlineModules || !scripts.every(({ url }) => /\/pulse-card(?:-\w+)?\.js$/.test(url.pathname)))
    return undefined;
  return findingOf('board_undefined', {
    title: 'The page has a <pulse-board> but loads only the script for cards.',
    detail: `Line ${board.line}. pulse-board.js defines both elements.`,
    fix: scriptTag(new URL('pulse-board.js', script.url)),
  });
}

/**
 * The page must use this BFF, readers must be able to reach the BFF, and the page must be able to load from it
 * securely.
 */
function placeFinding(facts: PageFacts): Finding | undefined {
  const { elements, settings, url, scripts, frames } = facts;
  const card = elements.cards.find(({ attributes }) => attributes['base-url']) ?? elements.cards[0];
  if (card === undefined && scripts.length === 0 && frames.length === 0) return undefined;
  const base = card === undefined && frames.length > 0 ? new URL(settings.publicUrl) : baseOf(card, facts);
  const isLocal = isLoopbackHost(base.hostname);
  const isSet = !isLoopbackHost(new URL(settings.publicUrl).hostname);
  if (isLocal && !isLoopbackHost(url.hostname))
    return findingOf('bff_on_loopback', {
      title: `Readers can’t reach the BFF at ${base.origin}.`,
      detail: 'For each reader, that URL points to the reader’s own machine.',
      fix: isSet ? scriptTag(`${settings.publicUrl}/pulse-card.js`) : 'PULSE_PUBLIC_URL=https://your-bff.example.com',
    });
  // Pages that are loaded over https: can't load anything over http:, except from loopback.
  if (!isLocal && url.protocol === 'https:' && base.protocol === 'http:')
    return findingOf('mixed_content', {
      title: 'The page calls the BFF over http:.',
      detail: `The page is loaded over https:, so browsers block everything from ${base.origin}. The BFF needs a certificate, or a proxy in front of it that has one.`,
      fix: scriptTag(new URL('pulse-card.js', base).href.replace(/^http:/, 'https:')),
    });
  return isSamePlace(base, new URL(settings.publicUrl)) ? undefined : otherBff(base, card, facts);
}

function otherBff(base: URL, card: PageElement | undefined, { settings: { publicUrl } }: PageFacts): Finding {
  const other = withoutSlash(base);
  // The page uses a public URL, but PULSE_PUBLIC_URL has its default value.
  const isDefault = isLoopbackHost(new URL(publicUrl).hostname) && !isLoopbackHost(base.hostname);
  const tag = card?.attributes['base-url'] ? `base-url="${publicUrl}"` : scriptTag(`${publicUrl}/pulse-card.js`);
  return findingOf('other_bff', {
    title: `The page uses ${other}, which isn’t this BFF.`,
    detail: `The URL of this BFF is ${publicUrl} (PULSE_PUBLIC_URL). A <base> tag can change relative URLs.`,
    fix: isDefault ? `PULSE_PUBLIC_URL=${other.replace(NOT_BASE, '')}` : tag,
  });
}
