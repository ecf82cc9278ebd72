import { create } from '../dom.ts';

/** The text's layout. */
export interface TextStyle {
  /** A CSS font, such as `600 44px Inter`. */
  readonly font: string;
  readonly widthPx: number;
  readonly lineHeight: number;
  readonly language: string;
}

/** Text that the browser has broken into lines. */
export interface TextLines {
  readonly lines: readonly string[];
  readonly direction: CanvasDirection;
}

/**
 * Breaks `text` into lines the way the browser does on the page, following every script's rules. Canvases don't break
 * lines.
 */
export function linesOf(text: string, { font, widthPx, lineHeight, language }: TextStyle, parent: Node): TextLines {
  const box = create('div');
  box.dir = 'auto';
  box.lang = language;
  box.style.cssText = `position:fixed;top:0;left:0;visibility:hidden;width:${widthPx}px;font:${font};line-height:${lineHeight}px;white-space:normal;overflow-wrap:anywhere;text-wrap:pretty`;
  box.textContent = text;
  parent.appendChild(box);
  const { direction } = getComputedStyle(box);
  const { firstChild } = box;
  const lines = firstChild ? linesIn(firstChild as Text, lineHeight) : [];
  box.remove();
  return { lines, direction: direction as CanvasDirection };
}

function linesIn(node: Text, lineHeight: number): string[] {
  const lines: string[] = [];
  const range = Document.prototype.createRange.call(document);
  let top = -Infinity;
  for (const { segment, index } of new Intl.Segmenter().segment(node.data)) {
    range.setStart(node, index);
    range.setEnd(node, index + segment.length);
    const rect = range.getBoundingClientRect();
    // Spaces at the end of a line have no width, so they are ignored.
    if (rect.width && rect.top > top + lineHeight / 2) {
      lines.push('');
      ({ top } = rect);
    }
    lines[lines.length - 1] += segment;
  }
  return lines.map((line) => line.trim());
}
