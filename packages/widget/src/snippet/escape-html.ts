import { cleanLine } from '@pulse-card/contract/text';

/**
 * HTML's special characters, and those of everything that might process the HTML first: WordPress shortcodes, MDX and
 * Markdown, and the templates of Vue, Svelte, and Jekyll. A `_` isn't Markdown between two letters or digits.
 */
const SYNTAX = /[&<>"'`[\]{}*~|]|(?<![a-z\d])_|_(?![a-z\d])/gi;

/** Escapes `text` for HTML content and quoted attributes, and for the languages that HTML is embedded in. */
export function escapeHtml(text: string): string {
  return text.replace(SYNTAX, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * A name or a finding as one line of HTML. A blank line would end the HTML in a Markdown document. A `@` begins a
 * directive of Blade and Angular, but is common in URLs. A backslash would escape the next character in a template string.
 */
export function escapeName(name: string): string {
  return escapeHtml(cleanName(name)).replaceAll(/[@\\]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name or a finding as one line of text without invisible characters, at most 4,000 characters long. */
export function cleanName(name: string): string {
  return cleanLine(name, MAX_LENGTH);
}

const MAX_LENGTH = 4_000;
