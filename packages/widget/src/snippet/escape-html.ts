import { cleanLine } from '@pulse-card/contract/text';

/**
 * The characters of HTML, and those of what may read the HTML first: WordPress shortcodes, MDX and Markdown, and the
 * templates of Angular, Vue, Svelte, Jekyll, and Blade. A `_` is only Markdown at the beginning or end of a word.
 */
const SYNTAX = /[&<>"'`[\]{}@*~|]|\b_|_\b/g;

/** Escapes `text` for HTML content and quoted attributes, and for the languages that HTML is embedded in. */
export function escapeHtml(text: string): string {
  return text.replace(SYNTAX, (character) => `&#${character.charCodeAt(0)};`);
}

/** A name as one line of HTML. A blank line would end the HTML in a Markdown document. */
export function escapeName(name: string): string {
  return escapeHtml(cleanLine(name, MAX_NAME));
}

/** The maximum length of a name in a snippet. */
const MAX_NAME = 300;
