import { stripTypeScriptTypes } from 'node:module';

/** A defence, and the smallest edit of the source that takes it away. */
export interface Mutation {
  /** What is taken away, as a reader of the table would say it. */
  readonly name: string;
  /** The rows of docs/threats.md that the defence serves. */
  readonly threats: readonly string[];
  /** The file that is edited, from the top folder. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Test files of which at least one has a test that must turn red; those that end in `.browser.ts` run in a browser. */
  readonly tests: readonly string[];
}

/** The source with the defence taken away. Throws where the edit does not fit the file any more, or leaves no program. */
export function mutatedSource(source: string, { name, file, from, to }: Mutation): string {
  const count = source.split(from).length - 1;
  if (count !== 1) throw new Error(`Cannot apply "${name}": its text stands ${count} times in ${file}`);
  const mutated = source.replace(from, () => to);
  try {
    stripTypeScriptTypes(mutated);
  } catch (error) {
    throw new Error(`Cannot apply "${name}": what is left of ${file} is no program`, { cause: error });
  }
  return mutated;
}
