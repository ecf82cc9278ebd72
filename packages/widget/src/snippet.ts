import { CARD_SIZE, variantOf, type Variant } from './card-size.ts';

/** What a snippet is made for. */
export interface SnippetOptions {
  readonly sourceId: string;
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** The source's name, for readers without scripts. @default 'Chart' */
  readonly name?: string | null;
  /** @default 'card' */
  readonly variant?: Variant;
}

/** HTML that shows a card, script tag included; it reserves the card's room and serves readers without scripts. */
export function snippetFor({ sourceId, baseUrl, name, variant }: SnippetOptions): string {
  const layout = variantOf(variant);
  const { chart, rows } = CARD_SIZE[layout];
  const base = baseUrl.replace(/\/+$/, '');
  const page = escapeHtml(`${base}/embed/${encodeURIComponent(sourceId)}`);
  const attributes = `source-id="${escapeHtml(sourceId)}"${layout === 'card' ? '' : ` variant="${layout}"`}`;
  return [
    `<script type="module" src="${escapeHtml(base)}/pulse-card.js"></script>`,
    `<pulse-card ${attributes}>`,
    ...(chart ? ['  <svg viewBox="0 0 1600 900" width="100%" display="block"></svg>'] : []),
    `  <svg width="100%" height="${rows}em" display="block"><a href="${page}"><text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">${escapeHtml(name || 'Chart')}</text></a></svg>`,
    '</pulse-card>',
    '',
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
