import leven from 'leven';

/** The candidate that takes the fewest changes of letters to become `word`, `maxChanges` at most; undefined where there is none. */
export function closestMatch(word: string, candidates: Iterable<string>, maxChanges = Infinity): string | undefined {
  let nearest: string | undefined;
  let fewest = maxChanges + 1;
  for (const candidate of candidates) {
    const changes = leven(word, candidate);
    if (changes < fewest) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}
