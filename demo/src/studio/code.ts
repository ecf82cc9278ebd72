import {
  boardSnippetFor,
  type BoardSnippetOptions,
  FRAME_WIDTH_PX,
  frameHeightPx,
  frameThemeOf,
  snippetFor,
} from '@pulse-card/widget/snippet';
import { frameLookOf, ruleOf } from '../theme/look.ts';
import { reactCode, serverCode, svelteCode, vueCode } from './application-code.ts';
import type { Code, CodeFacts, PublishedScript } from './code-facts.ts';
import { attributesText, withoutNames } from './code-text.ts';
import { chatCode, feedCode, imageCode, mailCode, markdownCode, oembedCode } from './outside-code.ts';
import type { CodeTab, Settings } from './settings.ts';
import { reviewOf, scriptedAttributes, scriptTag, styleBlock, styleLines } from './tag-attributes.ts';
import { TOKEN_ADDRESS, tokenLines, tokenScript } from './token-code.ts';

/** The placeholder for the id of a source if none is chosen. */
const NO_SOURCE = 'SOURCE_ID';

/** The code for one of the Studio's tabs. The code shows the same card as the Studio. */
export function codeFor(tab: CodeTab, settings: Settings, facts: CodeFacts): Code {
  const { text, note } = MAKERS[tab]({ ...settings, sourceId: settings.sourceId || NO_SOURCE }, facts);
  const notes = [
    ...(facts.isPrivate && TOKEN_TABS.has(tab) ? [TOKEN_NOTE] : []),
    ...(!facts.isReleased && PACKAGE_TABS.has(tab) ? [UNRELEASED_NOTE] : []),
    ...(PINNABLE.has(tab) && settings.pinned && facts.pinned !== null ? [pinnedNote(facts.pinned)] : []),
    note,
    ...(hasStyleBlock(tab, settings) ? [STYLE_BLOCK_NOTE] : []),
  ];
  return { text, note: notes.join(' ') };
}

/** The code that private charts need in the page's backend. */
export const TOKEN_NOTE = `Make your backend respond to ${TOKEN_ADDRESS} with a token for the signed-in reader.`;

/** The tabs that work only for public charts, because their code sends requests without a token. */
export const PUBLIC_TABS: ReadonlySet<CodeTab> = new Set(['iframe', 'oembed', 'image', 'markdown', 'mail', 'feed']);

/** The tabs whose code fetches tokens. */
const TOKEN_TABS: ReadonlySet<CodeTab> = new Set(['html', 'short', 'wordpress', 'react', 'vue', 'svelte', 'server']);

/** The tabs whose code imports a package. */
const PACKAGE_TABS: ReadonlySet<CodeTab> = new Set(['react', 'vue', 'svelte', 'server']);

const UNRELEASED_NOTE = 'The package will be published to npm with the first release. Until then, use the HTML code.';

/** The tabs whose code has a script tag that can be pinned. */
export const PINNABLE: ReadonlySet<CodeTab> = new Set(['html', 'short', 'wordpress', 'server']);

function pinnedNote(pinned: PublishedScript | 'unpublished'): string {
  return pinned === 'unpublished'
    ? 'Not pinned: this server was built from source, and no CDN has its script. To pin a version, copy the code from the Studio of a server that runs a published release.'
    : 'Readers load the script from jsDelivr. The script stays the same when the server is upgraded.';
}

const STYLE_BLOCK_NOTE = 'If your policy forbids inline styles, move the style block to your stylesheet.';

function hasStyleBlock(tab: CodeTab, settings: Settings): boolean {
  return (tab === 'html' || tab === 'short' || tab === 'wordpress') && styleLines(settings).length > 0;
}

const MAKERS: Readonly<Record<CodeTab, (settings: Settings, facts: CodeFacts) => Code>> = {
  html: (settings, facts) => ({
    text: htmlCode(settings, facts),
    note: htmlNote(settings, facts),
  }),
  short: (settings, facts) => ({
    text: shortCode(settings, facts),
    note: 'This is the shortest code. The page shifts when the card loads. The HTML code avoids this shift.',
  }),
  iframe: iframeCode,
  react: reactCode,
  vue: vueCode,
  svelte: svelteCode,
  wordpress: (settings, facts) => ({
    text: `<!-- wp:html -->\n${htmlCode(settings, facts)}\n<!-- /wp:html -->`,
    note: 'Paste it into the code editor. For a Custom HTML block, leave out the first and last lines. Authors need the right to post unfiltered HTML.',
  }),
  server: serverCode,
  oembed: publicOnly(oembedCode),
  image: publicOnly(imageCode),
  markdown: publicOnly(markdownCode),
  mail: publicOnly(mailCode),
  feed: publicOnly(feedCode),
  chat: chatCode,
};

/** The code for places that send requests without a token. */
function publicOnly(
  make: (settings: Settings, facts: CodeFacts) => Code,
): (settings: Settings, facts: CodeFacts) => Code {
  return (settings, facts) =>
    facts.isPrivate
      ? { text: '', note: 'This code can’t send a token, so it can’t show private charts.' }
      : make(settings, facts);
}

function htmlNote({ loading }: Settings, { isPrivate }: CodeFacts): string {
  return [
    'Reserves the card’s space before the script loads, so nothing on the page moves.',
    ...(isPrivate ? [] : ['Readers who have disabled JavaScript get a link.']),
    ...(loading === 'click'
      ? ['Until a reader presses the button, the page requests only the script and its language file.']
      : []),
  ].join(' ');
}

function htmlCode(settings: Settings, facts: CodeFacts): string {
  const { sourceId, variant, loading, theme } = settings;
  const { baseUrl, isPrivate, chartRatio } = facts;
  const name = settings.label || facts.name;
  const review = reviewOf(settings, facts);
  const snippet = snippetFor({ sourceId, baseUrl, name, variant, loading, theme, isPrivate, chartRatio, ...review });
  const more = withoutNames(scriptedAttributes(settings, facts), SNIPPET_ATTRIBUTES);
  const tagged = snippet.replace(/<pulse-card [^>]*(?=>)/, (tag) => tag + attributesText(more));
  const [, ...rest] = tagged.trimEnd().split('\n');
  return [scriptTag(settings, facts), ...styleLines(settings), ...rest, ...tokenScript(settings, isPrivate)].join('\n');
}

/** The attributes that `snippetFor` writes. */
const SNIPPET_ATTRIBUTES = ['source-id', 'variant', 'label', 'loading', 'theme', 'ai-reviewed-by', 'ai-reviewed-run'];

function shortCode(settings: Settings, facts: CodeFacts): string {
  const tag = `<pulse-card${attributesText(scriptedAttributes(settings, facts))}></pulse-card>`;
  return [scriptTag(settings, facts), ...styleLines(settings), tag, ...tokenScript(settings, facts.isPrivate)].join(
    '\n',
  );
}

function iframeCode(
  { sourceId, variant, loading, theme, chartTheme, reviewedBy, history, actions, language, label, look }: Settings,
  { baseUrl, name, isPrivate }: CodeFacts,
): Code {
  // In a light frame, no chart goes dark.
  const { query, left: leftOfLook } = frameLookOf(look, frameThemeOf(theme) === 'dark' ? chartTheme : 'light');
  const left = [
    ...leftOfLook,
    ...(reviewedBy === '' ? [] : ['reviewer']),
    ...(history ? ['earlier findings'] : []),
    ...(actions === '' ? [] : ['actions']),
  ];
  const options = { sourceId, baseUrl, name: label || name, variant, theme, language, look: query };
  const text = snippetFor({ ...options, as: 'frame' }).trimEnd();
  const limits = [
    ...(isPrivate ? ['A frame can’t send a token, so it can’t show private charts.'] : []),
    ...(loading === 'click' ? ['An iframe loads without a click.'] : []),
    ...(left.length === 0 ? [] : [`An iframe can’t show your ${new Intl.ListFormat('en').format(left)}.`]),
  ];
  return {
    text,
    note: [...limits, frameNote(variant, theme)].join(' '),
  };
}

/** Describes the look of an iframe, and the differences on pages that remove its styles. */
function frameNote(variant: Settings['variant'], theme: Settings['theme']): string {
  const scheme = frameThemeOf(theme) === 'dark' ? 'dark' : 'light';
  return [
    `The frame is ${scheme} on every page, because a frame can’t see the page around it.`,
    'The wrapper reserves the height of the collapsed card, so nothing on the page moves. The analysis scrolls in the frame.',
    `If a site removes inline styles (a Drupal text format, a policy without 'unsafe-inline'), height="${frameHeightPx(FRAME_WIDTH_PX, variant)}" applies.`,
  ].join(' ');
}

/** The code for a board: its snippet with a look, and the code for its tokens if readers need them. */
export function boardCode(
  options: BoardSnippetOptions,
  isPrivate: boolean,
  { look, theme, chartTheme }: Pick<Settings, 'look' | 'theme' | 'chartTheme'>,
): string {
  // Links can't send a token.
  const snippet = boardSnippetFor(isPrivate ? { ...options, sources: [] } : options);
  const attributes = [
    ...(theme === 'auto' ? [] : [` theme="${theme}"`]),
    ...(chartTheme === 'light' ? [] : [` chart-theme="${chartTheme}"`]),
  ];
  const themed = snippet.replace('<pulse-board', `<pulse-board${attributes.join('')}`);
  const [script = '', ...rest] = themed.trimEnd().split('\n');
  const tokens = isPrivate ? tokenLines('pulse-board') : [];
  return `${[script, ...styleBlock(ruleOf(look, theme, 'pulse-board')), ...rest, ...tokens].join('\n')}\n`;
}
