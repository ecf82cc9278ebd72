import { FONT_FACES } from './fonts.ts';
import { BFF_ORIGIN, type Specimen } from './specimens.ts';

/** A card on a sheet, with the width of its container and its attributes. */
export interface Exhibit extends Specimen {
  readonly widthPx: number;
  readonly variant?: string;
}

/** A board on a sheet, with the width of its container and its attributes as HTML. */
export interface BoardExhibit {
  readonly title: string;
  readonly widthPx: number;
  readonly attributes?: string;
}

/** A page of closely spaced cards, each below its name. */
export interface Sheet {
  readonly exhibits?: readonly Exhibit[];
  readonly boards?: readonly BoardExhibit[];
  readonly language?: 'en' | 'ar';
  readonly direction?: 'ltr' | 'rtl';
}

const LOOK = `
  :root { color-scheme: light dark; }
  body { margin: 0; color: light-dark(#10141f, #f1f3f7); background: light-dark(#f4f5f8, #0b0e15); font: 16px/1.5 'Inter Variable', 'Noto Sans Arabic Variable'; }
  section { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 16px; padding: 12px 16px; }
  figure { margin: 0; }
  figcaption { overflow: hidden; font: 12px/18px 'Inter Variable'; white-space: nowrap; opacity: 0.75; }`;

/** The sheet as a page on a website. */
export function sheetPage({ exhibits = [], boards = [], language = 'en', direction = 'ltr' }: Sheet): string {
  return `<!doctype html><html lang="${language}" dir="${direction}"><meta charset="utf-8"><title>Cards</title>
<style>${FONT_FACES}${LOOK}</style>
<script type="module" src="${BFF_ORIGIN}/pulse-board.js"></script>
<section>${exhibits.map(exhibitView).join('')}${boards.map(boardView).join('')}</section></html>`;
}

function boardView({ title, widthPx, attributes = '' }: BoardExhibit): string {
  return `<figure style="width: ${widthPx}px"><figcaption>${title} · ${widthPx}</figcaption><pulse-board loading="eager" ${attributes}></pulse-board></figure>`;
}

function exhibitView(exhibit: Exhibit): string {
  const { title, state, sourceId, baseUrl, open, widthPx, variant } = exhibit;
  const attributes = [
    `source-id="${sourceId}" loading="eager" data-state="${state}"`,
    baseUrl === undefined ? '' : `base-url="${baseUrl}"`,
    variant === undefined ? '' : `variant="${variant}"`,
    open === true ? 'open' : '',
  ].join(' ');
  return `<figure style="width: ${widthPx}px"><figcaption>${title} · ${widthPx}</figcaption><pulse-card ${attributes}></pulse-card></figure>`;
}
