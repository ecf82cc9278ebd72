/** An element in a line of text, while its text is read. */
export interface Pair {
  readonly tag: 'strong' | 'em' | 'del' | 'code' | 'a';
  /** What was typed at both ends, for an element that isn't shown. */
  readonly typed: readonly [open: string, close: string];
  /** The URL of a link. */
  readonly url?: string;
  isShown?: boolean;
}

/** A place in the text where elements end and begin: a run of `*`, `_`, or `~~`, or one end of code or a link. */
export interface Mark {
  readonly char: string;
  readonly size: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** The characters that are text. */
  count: number;
  readonly closes: Pair[];
  /** The innermost element is first. */
  readonly opens: Pair[];
}

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Letters and digits between which a mark is text, as in `4*5` and `snake_case`. */
const WORD = /[\p{Script=Latin}\p{N}]/u;
/** Scripts without spaces between words. Next to them, `**12%**` is strong, which CommonMark doesn't allow. */
const UNSPACED = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

/**
 * The run of marks in `text` from `start` to `end`, with CommonMark's rules for what it can open and close (section
 * 6.2).
 */
export function runIn(text: string, start: number, end: number): Mark {
  const before = Array.from(text.slice(Math.max(0, start - 2), start)).at(-1) ?? ' ';
  const after = Array.from(text.slice(end, end + 2))[0] ?? ' ';
  const char = text[start] as string;
  const isInWord = WORD.test(before) && WORD.test(after);
  const canBegin = !isInWord && isNextTo(after, before);
  const canEnd = !isInWord && isNextTo(before, after);
  const isUnderscore = char === '_';
  return {
    ...endOf(char),
    size: end - start,
    count: end - start,
    canOpen: canBegin && (!isUnderscore || !canEnd || PUNCTUATION.test(before)),
    canClose: canEnd && (!isUnderscore || !canBegin || PUNCTUATION.test(after)),
  };
}

/** Whether marks belong to the text on the side of `inner` (a flanking delimiter run). */
function isNextTo(inner: string, outer: string): boolean {
  if (SPACE.test(inner)) return false;
  return !PUNCTUATION.test(inner) || SPACE.test(outer) || PUNCTUATION.test(outer) || UNSPACED.test(outer);
}

/** One end of an element that isn't made of runs. */
export function endOf(char: string, opens: Pair[] = [], closes: Pair[] = []): Mark {
  return { char, size: 0, count: 0, canOpen: false, canClose: false, opens, closes };
}

/** The runs that later runs can close, and for each kind of run, below which of them there is no partner for it. */
interface Scope {
  readonly openers: Mark[];
  readonly bottoms: Map<string, number>;
}

/** Finds the pairs of runs, in linear time (CommonMark, "An algorithm for parsing nested emphasis and links"). */
export function matchRuns(parts: readonly (string | Mark)[]): void {
  const scopes: Scope[] = [];
  let scope: Scope = { openers: [], bottoms: new Map() };
  for (const part of parts) {
    if (typeof part === 'string') continue;
    // The marks in a link's text have no partners outside of it.
    if (part.char === '[') {
      scopes.push(scope);
      scope = { openers: [], bottoms: new Map() };
    } else if (part.char === ']') scope = scopes.pop() as Scope;
    if (part.canClose) closeRun(part, scope);
    if (part.canOpen && part.count > 0) scope.openers.push(part);
  }
}

function closeRun(closer: Mark, { openers, bottoms }: Scope): void {
  const kind = `${closer.char}${closer.canOpen}${closer.size % 3}`;
  while (closer.count > 0) {
    const bottom = bottoms.get(kind) ?? 0;
    const at = openers.findLastIndex((opener, index) => index < bottom || canPair(opener, closer));
    if (at < bottom) return void bottoms.set(kind, openers.length);
    openers.length = at + 1;
    pair(openers[at] as Mark, closer);
    if (openers[at]?.count === 0) openers.pop();
    for (const [other, index] of bottoms) bottoms.set(other, Math.min(index, openers.length));
  }
}

/** Whether two runs can be the ends of an element (CommonMark, rules 9 and 10). */
function canPair(opener: Mark, closer: Mark): boolean {
  if (opener.char !== closer.char) return false;
  const isAmbiguous = opener.canClose || closer.canOpen;
  return !isAmbiguous || (opener.size + closer.size) % 3 > 0 || opener.size % 3 === 0;
}

function pair(opener: Mark, closer: Mark): void {
  const length = Math.min(2, opener.count, closer.count);
  const typed = closer.char.repeat(length);
  const tag = closer.char === '~' ? 'del' : length > 1 ? 'strong' : 'em';
  const found: Pair = { tag, typed: [typed, typed] };
  opener.opens.push(found);
  closer.closes.push(found);
  opener.count -= length;
  closer.count -= length;
}
