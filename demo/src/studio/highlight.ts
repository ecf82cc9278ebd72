/** A piece of code and its kind. */
export interface CodePart {
  readonly text: string;
  readonly kind: 'plain' | 'comment' | 'string' | 'tag' | 'keyword';
}

const PARTS =
  /(?<comment><!--[^]*?-->|(?<=^|\s)\/\/.*)|(?<string>"[^"\n]*"|'[^'\n]*'|`[^`]*`)|(?<tag>(?<=<\/?)[A-Za-z][\w-]*)|(?<keyword>\b(?:import|from|export|function|return|const|await|async)\b)/gm;

/** Splits HTML, JSX, or JavaScript into differently colored parts. Joined together, the parts are the original code. */
export function highlight(code: string): readonly CodePart[] {
  const parts: CodePart[] = [];
  let end = 0;
  for (const match of code.matchAll(PARTS)) {
    if (match.index > end) parts.push({ text: code.slice(end, match.index), kind: 'plain' });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['plain'];
    parts.push({ text: match[0], kind: kind as CodePart['kind'] });
    end = match.index + match[0].length;
  }
  return end < code.length ? [...parts, { text: code.slice(end), kind: 'plain' }] : parts;
}

/** The parts of each line. */
export function highlightedLines(code: string): readonly (readonly CodePart[])[] {
  const lines: CodePart[][] = [[]];
  for (const { text, kind } of highlight(code)) {
    const [first = '', ...rest] = text.split('\n');
    lines.at(-1)?.push({ text: first, kind });
    for (const line of rest) lines.push([{ text: line, kind }]);
  }
  return lines;
}
