import {
  type BoardSnippetOptions,
  boardSnippetFor,
  FRAME_WIDTH_PX,
  frameHeightPx,
  frameThemeOf,
  snippetFor,
} from '@pulse-card/widget/snippet';
import { declarationsOf, frameLookOf, ruleOf, styleOf } from '../theme/look.ts';
import type { Code, CodeFacts, PublishedScript } from './code-facts.ts';
import { directionOf } from './languages.ts';
import { chatCode, feedCode, imageCode, mailCode, markdownCode, oembedCode } from './outside-code.ts';
import type { CodeTab, Settings } from './settings.ts';

/** Attributes as HTML writes them; an empty value is a flag. */
type Attributes = readonly (readonly [name: string, value: string])[];

/** Where pages of a portal get a token; theirs to change. */
const TOKEN_ADDRESS = '/pulse-token';

/** The placeholder for the id of a source if none is chosen. */
const NO_SOURCE = 'SOURCE_ID';

/** The code that shows what the Studio shows, for one of its tabs. */
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
export const TOKEN_NOTE = `Have your backend answer ${TOKEN_ADDRESS} with a token for the reader who is signed in.`;

/** The ways to show a card for which readers without a token get nothing, because their requests carry none. */
export const PUBLIC_TABS: ReadonlySet<CodeTab> = new Set(['iframe', 'oembed', 'image', 'markdown', 'mail', 'feed']);

/** The ways whose code fetches tokens. */
const TOKEN_TABS: ReadonlySet<CodeTab> = new Set(['html', 'short', 'wordpress', 'react', 'vue', 'svelte', 'server']);

/** The ways whose code imports a package. */
const PACKAGE_TABS: ReadonlySet<CodeTab> = new Set(['react', 'vue', 'svelte', 'server']);

const UNRELEASED_NOTE = 'The package is on npm from the first release on. Until then, use the HTML code.';

/** The tabs whose code has a script tag that can be pinned. */
export const PINNABLE: ReadonlySet<CodeTab> = new Set(['html', 'short', 'wordpress', 'server']);

function pinnedNote(pinned: PublishedScript | 'unpublished'): string {
  return pinned === 'unpublished'
    ? 'Not pinned: this server was built from source, and no CDN has its script. To pin one, take the code from the Studio of a released server.'
    : 'Readers load the script from jsDelivr: it stays the same when the server is upgraded.';
}

/** The script that the code pins, where that is asked for and can be had. */
function pinnedScript({ pinned }: Settings, facts: Pick<CodeFacts, 'pinned'>): PublishedScript | undefined {
  return pinned && facts.pinned !== null && facts.pinned !== 'unpublished' ? facts.pinned : undefined;
}

const STYLE_BLOCK_NOTE = 'If your policy forbids inline styles, move the style block to your stylesheet.';

function hasStyleBlock(tab: CodeTab, settings: Settings): boolean {
  return (tab === 'html' || tab === 'short' || tab === 'wordpress') && styleLines(settings).length > 0;
}

const MAKERS: Readonly<Record<CodeTab, (settings: Settings, facts: CodeFacts) => Code>> = {
  html: (settings, facts) => ({
    text: htmlCode(settings, facts),
    note: `Holds its room before the script arrives, so nothing on the page moves.${facts.isPrivate ? '' : ' Readers without scripts get a link.'}`,
  }),
  short: (settings, facts) => ({
    text: shortCode(settings, facts),
    note: 'The least that works. The page moves when the card arrives; the HTML tab avoids that.',
  }),
  iframe: iframeCode,
  react: reactCode,
  vue: vueCode,
  svelte: svelteCode,
  wordpress: (settings, facts) => ({
    text: `<!-- wp:html -->\n${htmlCode(settings, facts)}\n<!-- /wp:html -->`,
    note: 'Paste it into the code editor, or without its first and last line into a Custom HTML block. Authors need the right to post unfiltered HTML.',
  }),
  server: serverCode,
  oembed: publicOnly(oembedCode),
  image: publicOnly(imageCode),
  markdown: publicOnly(markdownCode),
  mail: publicOnly(mailCode),
  feed: publicOnly(feedCode),
  chat: chatCode,
};

/** Code for places that carry no token. */
function publicOnly(
  make: (settings: Settings, facts: CodeFacts) => Code,
): (settings: Settings, facts: CodeFacts) => Code {
  return (settings, facts) =>
    facts.isPrivate
      ? { text: '', note: 'This place carries no token, so it cannot show private charts.' }
      : make(settings, facts);
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

/** The reviewer, and the run that was reviewed. Nothing if no one has, or no run is shown. */
function reviewOf(
  { reviewedBy }: Settings,
  { run }: Pick<CodeFacts, 'run'>,
): { aiReviewedBy?: string; aiReviewedRun?: string } {
  return reviewedBy === '' || run === undefined ? {} : { aiReviewedBy: reviewedBy, aiReviewedRun: run };
}

function shortCode(settings: Settings, facts: CodeFacts): string {
  const tag = `<pulse-card${attributesText(scriptedAttributes(settings, facts))}></pulse-card>`;
  return [scriptTag(settings, facts), ...styleLines(settings), tag, ...tokenScript(settings, facts.isPrivate)].join(
    '\n',
  );
}

function iframeCode(
  { sourceId, variant, theme, chartTheme, reviewedBy, history, actions, language, label, look }: Settings,
  { baseUrl, name, isPrivate }: CodeFacts,
): Code {
  const { query, left: leftOfLook } = frameLookOf(look, chartTheme);
  const left = [
    ...leftOfLook,
    ...(reviewedBy === '' ? [] : ['reviewer']),
    ...(history ? ['earlier findings'] : []),
    ...(actions === '' ? [] : ['actions']),
  ];
  const options = { sourceId, baseUrl, name: label || name, variant, theme, language, look: query };
  const text = snippetFor({ ...options, as: 'frame' }).trimEnd();
  const limits = [
    ...(isPrivate ? ['A frame carries no token, so it cannot show private charts.'] : []),
    ...(left.length === 0 ? [] : [`An iframe can’t take your ${new Intl.ListFormat('en').format(left)}.`]),
  ];
  return {
    text,
    note: limits.length > 0 ? limits.join(' ') : frameNote(variant, theme),
  };
}

/** What an iframe looks like, and what is different on pages that remove its styles. */
function frameNote(variant: Settings['variant'], theme: Settings['theme']): string {
  const scheme = frameThemeOf(theme) === 'dark' ? 'Dark' : 'Light';
  return [
    `${scheme} on every page, because a frame can’t see its page.`,
    'The wrapper reserves the height of the folded card, so nothing on the page moves. The analysis scrolls in the frame.',
    `Where inline styles are removed (text formats of Drupal, a policy without 'unsafe-inline'), height="${frameHeightPx(FRAME_WIDTH_PX, variant)}" applies.`,
  ].join(' ');
}

function reactCode(settings: Settings, { baseUrl, isPrivate, run }: CodeFacts): Code {
  const { sourceId, variant, open, live, history, actions } = settings;
  const { label, headingLevel, loading, theme, chartTheme, language, look } = settings;
  const style = declarationsOf(look, theme).map(([property, value]) => `'${camelCase(property)}': ${quoted(value)}`);
  const props = [
    `sourceId=${jsxText(sourceId)}`,
    `baseUrl=${jsxText(baseUrl)}`,
    ...(variant === 'card' ? [] : [`variant="${variant}"`]),
    ...(label === '' ? [] : [`label=${jsxText(label)}`]),
    ...(open ? ['open'] : []),
    ...(live ? ['live'] : []),
    ...(history ? ['history'] : []),
    ...(actions === '' ? [] : [`actions="${actions}"`]),
    ...(headingLevel === 3 ? [] : [`headingLevel={${headingLevel}}`]),
    ...(loading === 'lazy' ? [] : [`loading="${loading}"`]),
    ...(theme === 'auto' ? [] : [`theme="${theme}"`]),
    ...(chartTheme === 'light' ? [] : [`chartTheme="${chartTheme}"`]),
    ...Object.entries(reviewOf(settings, { run })).map(([name, value]) => `${name}=${jsxText(value)}`),
    ...(language === '' ? [] : [`lang="${language}"`, `dir="${directionOf(language)}"`]),
    ...(isPrivate ? ['tokenProvider={fetchToken}'] : []),
    ...(style.length === 0 ? [] : [`style={{ ${style.join(', ')} }}`]),
  ];
  const text = [
    "import { PulseCard } from '@pulse-card/widget/react';",
    '',
    ...(isPrivate ? [...FETCH_TOKEN, ''] : []),
    'export function Chart() {',
    '  return (',
    '    <PulseCard',
    ...props.map((prop) => `      ${prop}`),
    '    />',
    '  );',
    '}',
  ].join('\n');
  return { text, note: 'Types come with the package. The card is an element, so its styles stay its own.' };
}

function vueCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const text = [
    '<script setup>',
    "import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...FETCH_TOKEN] : []),
    '</script>',
    '',
    '<template>',
    ...tagLines(settings, facts, isPrivate ? ['.tokenProvider="fetchToken"'] : []).map((line) => `  ${line}`),
    '</template>',
  ].join('\n');
  return {
    text,
    note: "Tell the compiler that these are elements: isCustomElement: (tag) => tag.startsWith('pulse-').",
  };
}

function svelteCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const text = [
    '<script>',
    "  import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...indented(FETCH_TOKEN)] : []),
    '</script>',
    '',
    ...tagLines(settings, facts, isPrivate ? ['tokenProvider={fetchToken}'] : []),
  ].join('\n');
  return { text, note: 'Svelte sets properties of elements by itself; nothing has to be configured.' };
}

function serverCode(settings: Settings, { baseUrl, isPrivate, pinned, run }: CodeFacts): Code {
  const { sourceId, variant, theme, chartTheme, headingLevel, open, live, history, actions, label, language } =
    settings;
  const options = [
    'sourceId',
    'baseUrl',
    ...(variant === 'card' ? [] : [`variant: '${variant}'`]),
    ...(theme === 'auto' ? [] : [`theme: '${theme}'`]),
    ...(chartTheme === 'light' ? [] : [`chartTheme: '${chartTheme}'`]),
    ...(headingLevel === 3 ? [] : [`headingLevel: ${headingLevel}`]),
    ...(open ? ['open: true'] : []),
    ...(label === '' ? [] : [`label: ${quoted(label)}`]),
    ...Object.entries(reviewOf(settings, { run })).map(([name, value]) => `${name}: ${quoted(value)}`),
    ...(language === '' ? [] : [`language: '${language}'`]),
  ];
  const script = scriptTag(settings, { baseUrl, pinned });
  const style = styleLines(settings).join('\n');
  const more = attributesText([
    ...(live ? [['live', ''] as const] : []),
    ...(history ? [['history', ''] as const] : []),
    ...(actions === '' ? [] : [['actions', actions] as const]),
  ]);
  const text = [
    ...(isPrivate ? ["import { mintToken } from '@pulse-card/token';"] : []),
    "import { renderPulseCard } from '@pulse-card/widget/server';",
    '',
    `const sourceId = ${quoted(sourceId)};`,
    `const baseUrl = ${quoted(trimmed(baseUrl))};`,
    ...(isPrivate ? SERVER_TOKEN : []),
    `const response = await fetch(\`\${baseUrl}/v1/sources/\${sourceId}/pulse\`${isPrivate ? ', { headers }' : ''});`,
    '',
    '// For the body of the page, before and after scripts run.',
    `const card = renderPulseCard(await response.json(), { ${options.join(', ')} })${more && `.replace('<pulse-card', '<pulse-card${more}')`};`,
    '// For its head, once.',
    `const script = ${quoted(script)};`,
    ...(isPrivate
      ? ['// For the end of its body.', `const tokens = \`${tokenScript(settings, true).join('\n')}\`;`]
      : []),
    ...(style === '' ? [] : [`const style = \`${style}\`;`]),
  ].join('\n');
  return {
    text,
    note: 'Readers see the card before any script runs. The script takes it over and keeps it up to date.',
  };
}

/** A token provider. It throws where the portal answers an error, whose page is no token. */
const TOKEN_FUNCTION = [
  'async () => {',
  `  const response = await fetch('${TOKEN_ADDRESS}');`,
  `  if (!response.ok) throw new Error('${TOKEN_ADDRESS} answered ' + response.status);`,
  '  return response.text();',
  '}',
].join('\n');

/** The lines that declare the token provider as `fetchToken`. */
const FETCH_TOKEN = `const fetchToken = ${TOKEN_FUNCTION};`.split('\n');

/** The lines that sign a token for one source on the portal's server. */
const SERVER_TOKEN = [
  '// A key of PULSE_TOKEN_KEYS_FILE.',
  "const key = { kid: 'portal-2026', secret: process.env.PULSE_TOKEN_SECRET };",
  'const token = await mintToken(key, { audience: baseUrl, sources: [sourceId] });',
  'const headers = { Authorization: `Bearer ${token}` };',
];

function scriptTag(settings: Settings, { baseUrl, pinned }: Pick<CodeFacts, 'baseUrl' | 'pinned'>): string {
  const script = pinnedScript(settings, { pinned });
  if (script === undefined) return `<script type="module" src="${escaped(trimmed(baseUrl))}/pulse-card.js"></script>`;
  return `<script type="module" src="${escaped(script.url)}" integrity="${escaped(script.integrity)}" crossorigin="anonymous"></script>`;
}

function styleLines({ look, theme, sourceId }: Settings): readonly string[] {
  return styleBlock(ruleOf(look, theme, `pulse-card[source-id="${sourceId}"]`));
}

function styleBlock(rule: string): readonly string[] {
  return rule === '' ? [] : ['<style>', ...rule.split('\n').map((line) => `  ${line}`), '</style>'];
}

function tokenScript({ sourceId }: Pick<Settings, 'sourceId'>, isPrivate: boolean): readonly string[] {
  return isPrivate ? tokenLines(`pulse-card[source-id="${sourceId}"]`) : [];
}

/** The script that gives the element its tokens. */
function tokenLines(selector: string): readonly string[] {
  return [
    '<script type="module">',
    ...indented(`document.querySelector('${selector}').tokenProvider = ${TOKEN_FUNCTION};`.split('\n')),
    '</script>',
  ];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** The code of a board: its snippet in a look, and its tokens where readers need them. */
export function boardCode(
  options: BoardSnippetOptions,
  isPrivate: boolean,
  { look, theme, chartTheme }: Pick<Settings, 'look' | 'theme' | 'chartTheme'>,
): string {
  // A link carries no token.
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

/** The element over several lines, with everything as attributes. */
function tagLines(settings: Settings, facts: CodeFacts, more: readonly string[]): readonly string[] {
  const style = styleOf(settings.look, settings.theme);
  const attributes: Attributes = [
    ...sharedAttributes(settings, facts).slice(0, 1),
    ['base-url', facts.baseUrl],
    ...sharedAttributes(settings, facts).slice(1),
    ...(style === '' ? [] : [['style', style] as const]),
  ];
  return ['<pulse-card', ...[...attributes.map(attributeText), ...more].map((text) => `  ${text}`), '></pulse-card>'];
}

/** The attributes of the tag beside a script tag: a script of another host doesn't know where the BFF is. */
function scriptedAttributes(settings: Settings, facts: CodeFacts): Attributes {
  const attributes = sharedAttributes(settings, facts);
  return pinnedScript(settings, facts) ? [...attributes, ['base-url', trimmed(facts.baseUrl)]] : attributes;
}

/** The attributes of the tag, the source first. */
function sharedAttributes(settings: Settings, facts: CodeFacts): Attributes {
  const { sourceId, variant, open, live, history, actions } = settings;
  const { label, headingLevel, loading, theme, chartTheme, language } = settings;
  const { aiReviewedBy, aiReviewedRun } = reviewOf(settings, facts);
  return [
    ['source-id', sourceId],
    ...(variant === 'card' ? [] : [['variant', variant] as const]),
    ...(label === '' ? [] : [['label', label] as const]),
    ...(open ? [['open', ''] as const] : []),
    ...(live ? [['live', ''] as const] : []),
    ...(history ? [['history', ''] as const] : []),
    ...(actions === '' ? [] : [['actions', actions] as const]),
    ...(headingLevel === 3 ? [] : [['heading-level', String(headingLevel)] as const]),
    ...(loading === 'lazy' ? [] : [['loading', loading] as const]),
    ...(theme === 'auto' ? [] : [['theme', theme] as const]),
    ...(chartTheme === 'light' ? [] : [['chart-theme', chartTheme] as const]),
    ...(aiReviewedBy === undefined || aiReviewedRun === undefined
      ? []
      : ([
          ['ai-reviewed-by', aiReviewedBy],
          ['ai-reviewed-run', aiReviewedRun],
        ] as const)),
    ...(language === ''
      ? []
      : ([
          ['lang', language],
          ['dir', directionOf(language)],
        ] as const)),
  ];
}

function withoutNames(attributes: Attributes, names: readonly string[]): Attributes {
  return attributes.filter(([name]) => !names.includes(name));
}

function attributesText(attributes: Attributes): string {
  return attributes.map((attribute) => ` ${attributeText(attribute)}`).join('');
}

function attributeText([name, value]: readonly [string, string]): string {
  return value === '' ? name : `${name}="${escaped(value)}"`;
}

/** Svelte takes what stands in braces for an expression, in an attribute, too. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('{', '&#123;');
}

/** JSX reads no escapes in a string attribute, so anything unusual goes into braces. */
function jsxText(text: string): string {
  return /^[^"&{}<>\\]*$/.test(text) ? `"${text}"` : `{${quoted(text)}}`;
}

function quoted(text: string): string {
  return `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('</', String.raw`<\/`)}'`;
}

function camelCase(property: string): string {
  return property.startsWith('--')
    ? property
    : property.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
