import leven from 'leven';

/** The candidate that takes the fewest changes of letters to become `word`; undefined where there are none. */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const candidate of candidates) {
    const changes = leven(word, candidate);
    if (changes < fewest) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}
