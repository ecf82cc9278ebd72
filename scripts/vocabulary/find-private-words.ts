import type { PrivateWord } from './words.ts';

/** A private word that stands in a file. */
export interface Hit {
  readonly file: string;
  /** From 1; 0 for the file's own name. */
  readonly line: number;
  readonly found: string;
  readonly use: string;
}

/** A file as text, by its path from the top folder. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

const NAME = /[A-Za-z_$][\w$]*/g;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Comments and texts, which are prose. */
const PROSE =
  /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[(,=:&|!?{;]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g;

/** Finds private words in names, in prose too where the word is no ordinary English, and in the names of files. */
export function findPrivateWords({ file, text }: TextFile, words: readonly PrivateWord[]): Hit[] {
  const uses = new Map(words.map((word) => [word.word, word]));
  const names = file.endsWith('.ts') ? text.replace(PROSE, (prose) => prose.replace(/[^\n]/g, ' ')) : '';
  return [
    ...hitsIn(file.replace(/^.*\/|\.\w+$/g, '')).map((hit) => ({ ...hit, line: 0 })),
    ...linesOf(text).flatMap((content, index) => hitsIn(content, false).map((hit) => ({ ...hit, line: index + 1 }))),
    ...linesOf(names).flatMap((content, index) => hitsIn(content, true).map((hit) => ({ ...hit, line: index + 1 }))),
  ];

  function hitsIn(content: string, isEnglish?: boolean): Omit<Hit, 'line'>[] {
    return (content.match(NAME) ?? []).flatMap((name) =>
      (name.match(PART) ?? [])
        .map((part) => uses.get(part.toLowerCase()))
        .filter((word) => word !== undefined)
        .filter((word) => isEnglish === undefined || (word.isEnglish ?? false) === isEnglish)
        .map(({ use }) => ({ file, found: name, use })),
    );
  }
}

function linesOf(text: string): string[] {
  return text.split('\n');
}
