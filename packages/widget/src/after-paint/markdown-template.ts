import { nothing } from 'lit';
import type { Budget } from '../markdown/inline.ts';
import { BlockReader } from './block-reader.ts';
import type { Style } from './block-templates.ts';

/**
 * The maximum number of elements in an analysis. The rest is shown as plain text, so that commentary is never slow to
 * draw.
 */
const MAX_ELEMENTS = 1_300;

/** The maximum number of elements in a preview, which shows only the first few lines of an analysis. */
const MAX_PREVIEW_ELEMENTS = 100;

/** Renders inline Markdown in a paragraph, a heading, or a cell. */
type InlineTemplate = (text: string, budget: Budget, hasLinks: boolean) => unknown;

/**
 * An analysis as elements: CommonMark's paragraphs, headings, lists, quotes, fences, and rules, and GitHub's tables and
 * tasks. Headings become bold paragraphs. HTML and images are left as text. A preview has fewer elements, none of which
 * can be focused.
 */
export function markdownTemplate(text: string, inlineTemplate: InlineTemplate, isPreview: boolean = false): unknown[] {
  const elements = (isPreview ? MAX_PREVIEW_ELEMENTS : MAX_ELEMENTS) / 2;
  const budget = { elements };
  const inline = (line: string): unknown => inlineTemplate(line, budget, !isPreview);
  const style: Style = { inline, tabindex: isPreview ? nothing : 0, budget: { elements } };
  return new BlockReader(text.split('\n'), style).blocks;
}
