import {
  boardSnippetFor,
  type BoardSnippetOptions,
  FRAME_WIDTH_PX,
  frameHeightPx,
  frameThemeOf,
  snippetFor,
} from '@pulse-card/widget/snippet';
import { frameLook, frameLookOf, rulesOf } from '../theme/look.ts';
import { angularCode, reactCode, serverCode, svelteCode, vueCode } from './application-code.ts';
import { CARD_ATTRIBUTES } from './card-attributes.ts';
import type { Code, CodeFacts, PublishedScript } from './code-facts.ts';
import {
  attributesText,
  scriptedValues,
  scriptTag,
  selectorOf,
  styleBlock,
  styleLines,
  TOKEN_ADDRESS,
  tokenLines,
} from './code-parts.ts';
import { canPin, type CodeTab, needsOf } from './code-tabs.ts';
import { chatCode, imageCode, mailCode, markdownCode, oembedCode } from './outside-code.ts';
import { chartThemeOf, schemeOf, type Settings, valueOf, variantOf, withAttribute } from './settings.ts';

/** The placeholder for the source ID if no source is chosen. */
const NO_SOURCE = 'SOURCE_ID';

/** The code for one of the Studio's tabs. It produces the same card that the Studio shows. */
export function codeFor(tab: CodeTab, settings: Settings, facts: CodeFacts): Code {
  const needs = needsOf(tab);
  if (facts.isPrivate && needs === 'public')
    return { text: '', note: 'This code can’t send a token, so it can’t show private charts.' };
  const { text, note } = MAKERS[tab]({ ...settings, sourceId: settings.sourceId || NO_SOURCE }, facts);
  const notes = [
    ...(facts.isPrivate && needs !== 'chat' ? [TOKEN_NOTE] : []),
    ...(!facts.isReleased && needs === 'package' ? [UNRELEASED_NOTE] : []),
    ...(canPin(tab) && settings.pinned && facts.pinned !== null ? [pinnedNote(facts.pinned)] : []),
    note,
    ...(needs === 'script' && schemeOf(settings) === 'auto' ? [DARK_CLASS_NOTE] : []),
    ...(needs === 'script' && styleLines(settings).length > 0 ? [STYLE_BLOCK_NOTE] : []),
  ];
  return { text, note: notes.join(' ') };
}

/** What private charts require from the page's backend. */
export const TOKEN_NOTE = `Make your backend respond to ${TOKEN_ADDRESS} with a token for the signed-in reader.`;

const UNRELEASED_NOTE = 'The package will be published to npm with the first release. Until then, use the HTML code.';

const DARK_CLASS_NOTE = 'If your site turns dark with a class, add .dark pulse-card { color-scheme: dark }.';

const STYLE_BLOCK_NOTE = 'In MDX, or if your policy forbids inline styles, move the style block to your style sheet.';

function pinnedNote(pinned: PublishedScript | 'unpublished'): string {
  return pinned === 'unpublished'
    ? 'Not pinned: this server was built from source, and no CDN has its script. To pin a version, copy the code from the Studio of a server that runs a published release.'
    : 'Readers load the script from jsDelivr. The script stays the same when the server is upgraded.';
}

const MAKERS: Readonly<Record<CodeTab, (settings: Settings, facts: CodeFacts) => Code>> = {
  html: (settings, facts) => ({ text: htmlCode(settings, facts), note: htmlNote(settings, facts) }),
  short: (settings, facts) => ({
    text: shortCode(settings, facts),
    note: 'This is the shortest code. The page shifts when the card loads. The HTML code avoids this shift.',
  }),
  iframe: iframeCode,
  wordpress: (settings, facts) => ({
    text: `<!-- wp:html -->\n${htmlCode(settings, facts)}\n<!-- /wp:html -->`,
    note: 'Paste it into the code editor. For a Custom HTML block, leave out the first and last lines. Authors need permission to post unfiltered HTML.',
  }),
  oembed: oembedCode,
  react: reactCode,
  vue: vueCode,
  svelte: svelteCode,
  angular: angularCode,
  server: serverCode,
  image: imageCode,
  markdown: markdownCode,
  mail: mailCode,
  chat: chatCode,
};

function htmlNote(settings: Settings, { isPrivate }: CodeFacts): string {
  return [
    'Reserves the card’s space before the script loads, so nothing on the page moves. If the page has CSS rules for all svg elements, add pulse-card svg { all: revert-layer }.',
    ...(isPrivate ? [] : ['Readers who have disabled JavaScript get a link.']),
    ...(valueOf(settings, 'loading') === 'click'
      ? ['Until a reader clicks the button, the page requests only the script and its language file.']
      : []),
  ].join(' ');
}

function htmlCode(settings: Settings, facts: CodeFacts): string {
  const { baseUrl, isPrivate, chartRatio, name } = facts;
  const { sourceId, look } = settings;
  const snippet = snippetFor({
    sourceId,
    baseUrl,
    name: valueOf(settings, 'label') || name,
    variant: variantOf(settings),
    theme: schemeOf(settings),
    isPrivate,
    chartRatio,
    loading: valueOf(settings, 'loading') as 'lazy' | 'eager' | 'click',
    ...(look.extraHeightEm !== null && { extraHeight: look.extraHeightEm }),
  });
  // In a dark card, charts are inverted. White becomes almost the card's background.
  const isInverted = schemeOf(settings) === 'dark' && chartThemeOf(settings) === 'auto';
  const tagged = snippet
    .trimEnd()
    .replace(/^.*\n/, '')
    .replace('<foreignObject', isInverted ? '$& filter="invert(.91) hue-rotate(180deg)"' : '$&')
    .replace(/<pulse-card ([^>]*)(?=>)/, (tag, written: string) => {
      const more = scriptedValues(settings, facts).filter(({ attribute }) => !written.includes(`${attribute}="`));
      return tag + attributesText(more);
    });
  return [...headOf(settings, facts), tagged, ...tokensOf(settings, facts)].join('\n');
}

function shortCode(settings: Settings, facts: CodeFacts): string {
  const tag = `<pulse-card${attributesText(scriptedValues(settings, facts))}></pulse-card>`;
  return [...headOf(settings, facts), tag, ...tokensOf(settings, facts)].join('\n');
}

function headOf(settings: Settings, facts: CodeFacts): readonly string[] {
  return [scriptTag(settings, facts), ...styleLines(settings)];
}

function tokensOf(settings: Settings, { isPrivate }: CodeFacts): readonly string[] {
  return isPrivate ? tokenLines(selectorOf(settings)) : [];
}

/** The attributes that a frame supports. */
const IN_FRAME: readonly string[] = ['variant', 'theme', 'chart-theme'];

/**
 * The settings that an iframe supports. A frame is always either light or dark, regardless of the page's scheme. Its
 * card is collapsed and uses only the parts of a look that the URL can express.
 */
export function frameSettingsOf(settings: Settings): Settings {
  const kept = Object.entries(settings.attributes).filter(([name]) => IN_FRAME.includes(name));
  const framed = { ...settings, look: frameLook(settings.look), attributes: Object.fromEntries(kept) };
  return withAttribute(framed, 'theme', frameThemeOf(schemeOf(settings)));
}

function iframeCode(settings: Settings, { baseUrl, name }: CodeFacts): Code {
  const { sourceId, language } = settings;
  const [theme, variant] = [frameThemeOf(schemeOf(settings)), variantOf(settings)];
  // In a light frame, charts stay light.
  const { query, left } = frameLookOf(settings.look, theme === 'dark' ? chartThemeOf(settings) : 'light');
  const names = CARD_ATTRIBUTES.filter(({ name: attribute }) => {
    const isShown = IN_FRAME.includes(attribute) || attribute === 'label' || attribute === 'loading';
    return !isShown && settings.attributes[attribute] !== undefined;
  }).map(({ name: attribute }) => attribute);
  const options = {
    sourceId,
    baseUrl,
    name: valueOf(settings, 'label') || name,
    variant,
    theme,
    language,
    look: query,
  };
  const lost = new Intl.ListFormat('en').format([...left, ...names]);
  const notes = [
    ...(valueOf(settings, 'loading') === 'click' ? ['An iframe loads without a click.'] : []),
    ...(lost === '' ? [] : [`An iframe can’t show your ${lost}.`]),
    `The frame is ${theme} on every page, because a frame can’t see the page around it.`,
    'The wrapper reserves the height of the collapsed card, so nothing on the page moves. The analysis scrolls in the frame.',
    `If a site removes inline styles, as Drupal’s text formats do, the iframe is ${frameHeightPx(FRAME_WIDTH_PX, variant)} px tall.`,
  ];
  return { text: snippetFor({ ...options, as: 'frame' }).trimEnd(), note: notes.join(' ') };
}

/** The code for a board: its snippet with a look, and the code for its tokens if readers need them. */
export function boardCode(
  options: BoardSnippetOptions,
  isPrivate: boolean,
  settings: Pick<Settings, 'look' | 'attributes'>,
): string {
  const [theme, chartTheme] = [schemeOf(settings), chartThemeOf(settings)];
  // Links can't send a token.
  const snippet = boardSnippetFor(isPrivate ? { ...options, sources: [] } : options);
  const attributes = [
    ...(theme === 'auto' ? [] : [` theme="${theme}"`]),
    ...(chartTheme === 'light' ? [] : [` chart-theme="${chartTheme}"`]),
  ];
  const themed = snippet.replace('<pulse-board', `<pulse-board${attributes.join('')}`);
  const [script = '', ...rest] = themed.trimEnd().split('\n');
  const style = styleBlock(rulesOf(settings.look, theme, 'pulse-board'));
  return `${[script, ...style, ...rest, ...(isPrivate ? tokenLines('pulse-board') : [])].join('\n')}\n`;
}
