import { PROSE_PATTERNS } from './patterns.ts';

/** A line of prose that matches a pattern. */
export interface ProseHit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly found: string;
  readonly write: string;
}

/** Comments and strings of a TypeScript file. Regular expressions and code aren't prose. */
const PROSE_IN_CODE =
  /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Samples in a document. */
const SAMPLES_IN_DOCUMENT = /^```[^]*?^```/gm;

/** Names between backticks in Markdown and in comments. */
const NAMES = /`[^`\n]*`/g;

/** The code of a placeholder in a string, up to the code's first quotation mark. */
const PLACEHOLDERS = /\$\{[^}'"`]*/g;

/** Finds each line of a file that matches a pattern. With `isCode`, only comments and strings count. */
export function findProse(text: string, { isCode }: { readonly isCode: boolean }): ProseHit[] {
  const prose = isCode ? proseOf(text) : blanked(text, SAMPLES_IN_DOCUMENT);
  return prose.split('\n').flatMap((content, index) => {
    const hit = hitIn(isCode ? content.replaceAll(PLACEHOLDERS, '…') : content.replaceAll(NAMES, '`…`'));
    return hit === undefined ? [] : [{ line: index + 1, text: content.trim(), ...hit }];
  });
}

function hitIn(content: string): Pick<ProseHit, 'found' | 'write'> | undefined {
  for (const { pattern, write } of PROSE_PATTERNS) {
    const [found] = pattern.exec(content) ?? [];
    if (found !== undefined) return { found: found.trim(), write };
  }
  return undefined;
}

/** The text, with everything except its prose replaced by spaces. Lines keep their numbers. */
function proseOf(text: string): string {
  let prose = '';
  let end = 0;
  for (const { 0: part, index } of text.matchAll(PROSE_IN_CODE)) {
    prose += blank(text.slice(end, index)) + part;
    end = index + part.length;
  }
  return prose + blank(text.slice(end));
}

function blanked(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, blank);
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
