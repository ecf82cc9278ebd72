import { snippetFor } from '@pulse-card/widget/snippet';

/** A page with cards on a website. */
export interface HostPage {
  readonly sourceIds: readonly string[];
  /** @default 'en' */
  readonly language?: string;
  /** @default 'ltr' */
  readonly direction?: 'ltr' | 'rtl';
}

const TEXT_BELOW = '<p>Text below the cards, which mustn’t move.</p>'.repeat(8);

/** The page as HTML: unchanged snippets with text around them, and no styles. */
export function hostPage(bffUrl: string, { sourceIds, language = 'en', direction = 'ltr' }: HostPage): string {
  const cards = sourceIds.map((sourceId) => snippetFor({ sourceId, baseUrl: bffUrl, name: `Source ${sourceId}` }));
  return `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Somebody's page</title></head>
<body><main><h1>Somebody's page</h1><h2>Figures</h2>${cards.join('\n')}${TEXT_BELOW}</main></body></html>`;
}
