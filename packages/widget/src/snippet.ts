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

/** What a board's snippet is made for. */
export interface BoardSnippetOptions {
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** What stands there until the list has come, and for readers without scripts. @default 'Charts' */
  readonly name?: string | null;
  /** The provider whose sources are listed. @default all */
  readonly provider?: string | undefined;
  /** The most columns, 1 to 6. @default 3 */
  readonly columns?: number | undefined;
  /** How the cards are laid out. @default 'card' */
  readonly variant?: Variant | undefined;
}

/** HTML that shows a board, script tag included; it reserves a screen, as nobody knows how high a list gets. */
export function boardSnippetFor({ baseUrl, name, provider, columns, variant }: BoardSnippetOptions): string {
  const layout = variantOf(variant);
  const attributes = Object.entries({ provider, columns, variant: layout === 'card' ? '' : layout })
    .filter(([, value]) => value)
    .map(([attribute, value]) => ` ${attribute}="${escapeHtml(String(value))}"`);
  return [
    `<script type="module" src="${escapeHtml(baseUrl.replace(/\/+$/, ''))}/pulse-card.js"></script>`,
    `<pulse-board${attributes.join('')}>`,
    `  <svg width="100%" height="100vh" display="block"><text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">${escapeHtml(name || 'Charts')}</text></svg>`,
    '</pulse-board>',
    '',
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
