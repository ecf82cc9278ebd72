import leven from 'leven';

/** The candidate that takes the fewest edits to become `word`; undefined where there is none. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  return [...candidates].toSorted((a, b) => leven(word, a) - leven(word, b))[0];
}
