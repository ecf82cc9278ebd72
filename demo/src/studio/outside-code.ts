import { chartUrl, framePageUrl } from '@pulse-card/widget/snippet';
import { frameLookOf } from '../theme/look.ts';
import type { Code, CodeFacts } from './code-facts.ts';
import type { Settings } from './settings.ts';

/** The label before a finding that is not in a card. */
const AI_GENERATED = 'AI-generated';

/** The maximum width of a picture in emails and wikis, in pixels. */
const IMAGE_WIDTH_PX = 600;

/** The attributes that fit a picture into a narrower place, such as a phone. */
const SIZE = `width="${IMAGE_WIDTH_PX}" style="max-width:100%;height:auto"`;

/** The address of the page that shows the card, for editors that turn an address into a card. */
export function oembedCode(settings: Settings, facts: CodeFacts): Code {
  return {
    text: pageOf(settings, facts),
    note: 'Put the address on a separate line. Editors that support oEmbed, such as WordPress, show the card if they trust this server. Others show a preview or a link.',
  };
}

/** The chart as a picture that links to the card. */
export function imageCode(settings: Settings, facts: CodeFacts): Code {
  const image = `<img src="${escaped(chartUrl(addressOf(settings, facts)))}" alt="${escaped(nameOf(settings, facts))}" ${SIZE}>`;
  return {
    text: `<a href="${escaped(pageOf(settings, facts))}">${image}</a>`,
    note: 'The picture’s address stays the same and always shows the latest chart. The picture has no text, but links to a page with the text.',
  };
}

/** The same picture as Markdown, for README files and wikis. */
export function markdownCode(settings: Settings, facts: CodeFacts): Code {
  const name = nameOf(settings, facts).replaceAll(/[\\[\]]/g, String.raw`\$&`);
  return {
    text: `[![${name}](${chartUrl(addressOf(settings, facts))})](${pageOf(settings, facts)})`,
    note: 'For README files, wikis, and chats that support Markdown. The picture always shows the latest chart.',
  };
}

/** The name, finding, and chart for an email. */
export function mailCode(settings: Settings, facts: CodeFacts): Code {
  const page = escaped(pageOf(settings, facts));
  const finding = facts.finding
    ? [`<p ai-disclosure="ai-autonomous">${AI_GENERATED}: ${escaped(facts.finding)}</p>`]
    : [];
  const lines = [
    `<p><a href="${page}"><b>${escaped(nameOf(settings, facts))}</b></a></p>`,
    ...finding,
    `<p><a href="${page}"><img src="${escaped(chartUrl(addressOf(settings, facts)))}" alt="" ${SIZE}></a></p>`,
  ];
  return {
    text: lines.join('\n'),
    note: 'The mail contains the current finding. When someone opens the mail, its picture shows the latest chart. Because mail programs can block pictures, the name and the finding are text.',
  };
}

/** The feed's address. */
export function feedCode(settings: Settings, facts: CodeFacts): Code {
  return {
    text: chartUrl(addressOf(settings, facts)).replace(/image$/, 'feed'),
    note: 'An Atom feed with an entry for each run. The feed requires public access, and the variables PULSE_HISTORY and PULSE_CACHE=public on the server.',
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

function addressOf({ sourceId }: Settings, { baseUrl }: CodeFacts) {
  return { sourceId, baseUrl };
}

function pageOf({ sourceId, variant, theme, chartTheme, language, look }: Settings, { baseUrl }: CodeFacts): string {
  const { query } = frameLookOf(look, chartTheme);
  return framePageUrl({ sourceId, baseUrl, variant, theme, language, look: query });
}

function nameOf({ label }: Settings, { name }: CodeFacts): string {
  return label || name || 'Chart';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
