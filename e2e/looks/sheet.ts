import { FONT_FACES } from './fonts.ts';
import { BFF_ORIGIN, type Specimen } from './specimens.ts';

/** A card on a sheet, with the width of its container and its attributes. */
export interface Exhibit extends Specimen {
  readonly widthPx: number;
  readonly variant?: string;
  /** Values for custom properties. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly theme?: string;
  readonly chartTheme?: string;
}

/** Cards and boards side by side, optionally on a separate background. */
export interface Shelf {
  readonly exhibits: readonly Exhibit[];
  /** CSS declarations for the element around the cards. */
  readonly ground?: string;
}

/** A board on a sheet, with the width of its container and its attributes as HTML. */
export interface BoardExhibit {
  readonly title: string;
  readonly widthPx: number;
  readonly attributes?: string;
}

/** A page of closely spaced cards, each below its name. */
export interface Sheet {
  readonly shelves: readonly Shelf[];
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

/** The sheet as a page of a website. */
export function sheetPage({ shelves, boards = [], language = 'en', direction = 'ltr' }: Sheet): string {
  return `<!doctype html><html lang="${language}" dir="${direction}"><meta charset="utf-8"><title>Cards</title>
<style>${FONT_FACES}${LOOK}</style>
<script type="module" src="${BFF_ORIGIN}/pulse-board.js"></script>
${shelves.map(shelfView).join('\n')}${boards.length > 0 ? `<section>${boards.map(boardView).join('')}</section>` : ''}</html>`;
}

function shelfView({ exhibits, ground = '' }: Shelf): string {
  return `<section style="${ground.replaceAll('"', '&quot;')}">${exhibits.map(exhibitView).join('')}</section>`;
}

function boardView({ title, widthPx, attributes = '' }: BoardExhibit): string {
  return `<figure style="width: ${widthPx}px"><figcaption>${title} · ${widthPx}</figcaption><pulse-board loading="eager" ${attributes}></pulse-board></figure>`;
}

function exhibitView(exhibit: Exhibit): string {
  const { title, state, sourceId, baseUrl, open, widthPx, variant, theme, chartTheme, properties } = exhibit;
  const style = Object.entries(properties ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
  const attributes = [
    `source-id="${sourceId}" loading="eager" data-state="${state}" style="${style}"`,
    baseUrl === undefined ? '' : `base-url="${baseUrl}"`,
    variant === undefined ? '' : `variant="${variant}"`,
    theme === undefined ? '' : `theme="${theme}"`,
    chartTheme === undefined ? '' : `chart-theme="${chartTheme}"`,
    open === true ? 'open' : '',
  ].join(' ');
  return `<figure style="width: ${widthPx}px"><figcaption>${title} · ${widthPx}</figcaption><pulse-card ${attributes}></pulse-card></figure>`;
}
