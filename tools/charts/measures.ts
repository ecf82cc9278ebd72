/** The entry with the largest measure, or the first of several equal entries. */
export function most<T>(rows: readonly T[], measure: (row: T) => number): T {
  return rows.reduce((best, row) => (measure(row) > measure(best) ? row : best));
}

/** The entry with the smallest measure, or the first of several equal entries. */
export function least<T>(rows: readonly T[], measure: (row: T) => number): T {
  return most(rows, (row) => -measure(row));
}

/** The sum of a measure over all entries. */
export function sum<T>(rows: readonly T[], measure: (row: T) => number): number {
  return rows.reduce((total, row) => total + measure(row), 0);
}

/** The mean of a measure over all entries. */
export function mean<T>(rows: readonly T[], measure: (row: T) => number): number {
  return sum(rows, measure) / rows.length;
}

/** The entry at `index`, counted from the end if negative. Throws if there is no such entry. */
export function entry<T>(rows: readonly T[], index: number): T {
  const found = rows.at(index);
  if (found === undefined) throw new RangeError(`Can’t take entry ${index}: the list has ${rows.length}`);
  return found;
}
