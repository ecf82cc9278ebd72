import { chartUrl, cleanName, escapeHtml, escapeName, framePageUrl } from '@pulse-card/widget/snippet';
import { frameLookOf } from '../theme/look.ts';
import type { Code, CodeFacts } from './code-facts.ts';
import { chartThemeOf, schemeOf, type Settings, valueOf, variantOf } from './settings.ts';

/** The label before a finding that is shown outside of a card. */
const AI_GENERATED = 'AI-generated';

/**
 * Attributes that fit an image of up to 600 px into a narrower space, such as a phone screen. `STYLE` is uppercase
 * because React and MDX reject a string value for `style`; HTML isn't case-sensitive.
 */
const SIZE = 'width="600" STYLE="max-width:100%;height:auto"';

/** The URL of the page that shows the card, for editors that turn a URL into a card. */
export function oembedCode(settings: Settings, facts: CodeFacts): Code {
  return {
    text: pageOf(settings, facts),
    note: 'Put the URL on a separate line. Editors that support oEmbed, such as WordPress, show the card if they trust this server. Others show a preview or a link.',
  };
}

/** The chart as an image that links to the card. */
export function imageCode(settings: Settings, facts: CodeFacts): Code {
  return {
    text: linked(settings, facts, imageTag(latestChart(settings, facts), nameOf(settings, facts))),
    note: 'The image URL stays the same and always shows the latest chart. The image has no text but links to a page with the text.',
  };
}

/** The same image as Markdown, for README files and wikis. */
export function markdownCode(settings: Settings, facts: CodeFacts): Code {
  const image = `![${markdownText(nameOf(settings, facts))}](${markdownUrl(latestChart(settings, facts))})`;
  return {
    text: `[${image}](${markdownUrl(pageOf(settings, facts))})`,
    note: 'For README files, wikis, and chats that support Markdown. The image always shows the latest chart.',
  };
}

/** Text that every flavor of Markdown shows unchanged. Not every flavor lets a backslash escape `<`, `|`, or `$`. */
function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_[\]{}()!&<>"|$~@^#]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function markdownUrl(url: string): string {
  return url.replaceAll(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

/**
 * The name, chart, and date for an email. The finding is included only with the same run's chart, because the URL of
 * the latest chart would soon show a different one.
 */
export function mailCode(settings: Settings, facts: CodeFacts): Code {
  const { completedAt = null, finding = null, imageUrl = null } = facts.run ?? {};
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' });
  const date = day.format(completedAt === null ? (facts.now ?? Date.now()) : Date.parse(completedAt));
  const name = linked(settings, facts, `<b>${escapeName(nameOf(settings, facts))}</b>`);
  const isOfRun = finding !== null && imageUrl !== null;
  const words = isOfRun
    ? `<p ai-disclosure="ai-autonomous">${AI_GENERATED}, ${date}: ${escapeName(finding)}</p>`
    : `<p>The latest chart. This email is from ${day.format(facts.now ?? Date.now())}${completedAt === null ? '' : `, the chart’s data then from ${date}`}.</p>`;
  const chart = isOfRun ? imageUrl : latestChart(settings, facts);
  return {
    text: [`<p>${name}</p>`, words, `<p>${linked(settings, facts, imageTag(chart, ''))}</p>`].join('\n'),
    note: isOfRun
      ? 'The email always shows this finding, chart, and date. Its links lead to the latest version. Because email programs can block images, the name and the finding are text.'
      : 'When someone opens the email, its image shows the latest chart. The finding is left out, because it belongs to one run, and that run’s chart isn’t public.',
  };
}

/** The settings for a chat client that shows pulses. */
export function chatCode(_settings: Settings, { baseUrl, isPrivate, isReleased }: CodeFacts): Code {
  const args = ['@pulse-card/mcp', '--bff', baseUrl, ...(isPrivate ? ['--token-file', '/path/to/token'] : [])];
  return {
    text: JSON.stringify({ mcpServers: { 'pulse-card': { command: 'npx', args } } }, null, 2),
    note: `For chat clients that read mcpServers, such as Claude Desktop. The chat can then show every source on this server.${isReleased ? '' : ' The package will be published to npm with the first release.'}`,
  };
}

function imageTag(url: string, name: string): string {
  return `<img src="${escapeHtml(url)}" alt="${escapeName(name)}" ${SIZE} />`;
}

function linked(settings: Settings, facts: CodeFacts, content: string): string {
  return `<a href="${escapeHtml(pageOf(settings, facts))}">${content}</a>`;
}

function latestChart({ sourceId }: Settings, { baseUrl }: CodeFacts): string {
  return chartUrl({ sourceId, baseUrl });
}

function pageOf(settings: Settings, { baseUrl }: CodeFacts): string {
  const { sourceId, language } = settings;
  const { query } = frameLookOf(settings.look, chartThemeOf(settings));
  const theme = schemeOf(settings);
  return framePageUrl({ sourceId, baseUrl, variant: variantOf(settings), theme, language, look: query });
}

function nameOf(settings: Settings, { name }: CodeFacts): string {
  return cleanName(valueOf(settings, 'label') || name || 'Chart');
}
