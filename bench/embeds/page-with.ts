import type { Embed } from './embed.ts';
import type { Stub } from './stub.ts';

/** How a page lays its embeds out. */
export interface Layout {
  readonly ids: readonly string[];
  /** Style sheet of the page itself; none under a policy that forbids it. */
  readonly style?: string;
  /** HTML before the embeds. */
  readonly before?: string;
  /** HTML after them. */
  readonly after?: string;
  /** Times the script is there, from an address of its own each. @default 1 */
  readonly copies?: number;
}

/** A page with instances of an embed, its script and its style sheet from their origin. */
export function pageWith(
  embed: Embed,
  stub: Stub,
  { ids, style, before = '', after = '', copies = 1 }: Layout,
): string {
  const scripts = Array.from({ length: embed.script ? copies : 0 }, (_, copy) => {
    const src = `${stub.embed}/${embed.script}${copy > 0 ? `?copy=${copy}` : ''}`;
    return `<script type="module" src="${src}"></script>`;
  });
  const sheet = embed.alsoNeeds.includes('style-src') ? `<link rel="stylesheet" href="${stub.embed}/embed.css">` : '';
  const instances = ids.map((id) => embed.markup(stub, id)).join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
${style ? `<style>${style}</style>` : ''}${sheet}${scripts.join('')}</head>
<body>${before}${instances}${after}</body></html>`;
}

/** `count` ids, each another. */
export function idsUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `ready-${index + 1}`);
}

/** A column of this width, as sites have it. */
export function columnStyle(widthPx: number): string {
  return `body{margin:0 auto;width:${widthPx}px;font:16px/1.5 sans-serif} img{max-width:100%;height:auto} sl-card{width:100%}`;
}

/** Many in view at once. */
export const GRID_STYLE =
  'body{margin:0;display:grid;grid-template-columns:repeat(5,minmax(0,1fr));gap:16px;align-items:start;font:16px/1.5 sans-serif} img{max-width:100%;height:auto} sl-card{width:100%}';
