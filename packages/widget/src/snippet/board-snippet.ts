import { type Variant, variantOf } from '../elements/variants.ts';
import { bffUrl, framePageUrl } from './addresses.ts';
import { escapeHtml, escapeName } from './escape-html.ts';

/** The options for a board's snippet. */
export interface BoardSnippetOptions {
  /** The BFF's URL. */
  readonly baseUrl: string;
  /** The text that is shown until the list has loaded, and when JavaScript is disabled. @default 'Charts' */
  readonly name?: string | null;
  /** The sources that the snippet links to when JavaScript is disabled, each with its name. @default none */
  readonly sources?: readonly { readonly id: string; readonly name: string | null }[] | undefined;
  /** The provider whose sources are listed. @default all */
  readonly provider?: string | undefined;
  /** The maximum number of columns, 1 to 6. @default as many as fit */
  readonly columns?: number | undefined;
  /** The cards' layout. @default 'card' */
  readonly variant?: Variant | undefined;
  /**
   * The name in the "AI-generated, reviewed by …" label, at most 32 characters. Requires `aiReviewedRun`. @default no
   * reviewer
   */
  readonly aiReviewedBy?: string | undefined;
  /** The IDs of the runs whose text was reviewed, separated by spaces. @default none */
  readonly aiReviewedRun?: string | undefined;
}

/**
 * Returns HTML that shows a board, including the script tag. It reserves the screen's full height, because the list's
 * height is unknown.
 */
export function boardSnippetFor(options: BoardSnippetOptions): string {
  const { baseUrl, name, sources = [], provider, columns, variant, aiReviewedBy, aiReviewedRun } = options;
  const layout = variantOf(variant);
  const attributes = Object.entries({
    provider,
    columns,
    variant: layout === 'card' ? '' : layout,
    'ai-reviewed-by': aiReviewedBy,
    'ai-reviewed-run': aiReviewedRun,
  })
    .filter(([, value]) => value)
    .map(([attribute, value]) => ` ${attribute}="${escapeName(String(value))}"`);
  return [
    `<script type="module" src="${escapeHtml(bffUrl(baseUrl))}/pulse-board.js"></script>`,
    `<pulse-board${attributes.join('')}>`,
    '  <svg width="100%" height="100vh" display="block">',
    `    <text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">${escapeName(name || 'Charts')}</text>`,
    ...sources.map((source, index) => chartLink(source, { baseUrl, yEm: 3.5 + 1.75 * index })),
    '  </svg>',
    '</pulse-board>',
    '',
  ].join('\n');
}

function chartLink(
  { id, name }: { readonly id: string; readonly name: string | null },
  { baseUrl, yEm }: { readonly baseUrl: string; readonly yEm: number },
): string {
  const url = framePageUrl({ sourceId: id, baseUrl });
  return `    <a href="${escapeHtml(url)}"><text x="1.25em" y="${yEm}em" direction="ltr" fill="currentColor" text-decoration="underline">${escapeName(name || 'Chart')}</text></a>`;
}
