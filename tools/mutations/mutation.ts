import { stripTypeScriptTypes } from 'node:module';

/** A defence, and the smallest edit of the source that takes it away. */
export interface Mutation {
  /** What is taken away, as a reader of the table would say it. */
  readonly name: string;
  /** The rows of docs/threats.md that the defence serves. */
  readonly threats: readonly string[];
  /** Text that stands once in the sources of the packages, or once in `file`. */
  readonly from: string;
  readonly to: string;
  /** The file that is edited, from the top folder; only where other files have the same text. */
  readonly file?: string;
}

/** A source file. */
export interface Source {
  /** From the top folder. */
  readonly file: string;
  readonly text: string;
}

/** The source file that holds the defence. Throws where its text stands nowhere, or more than once. */
export function sourceOf({ name, from, file }: Mutation, sources: readonly Source[]): Source {
  const found = sources.filter((source) => (file === undefined || source.file === file) && source.text.includes(from));
  const [source] = found;
  if (source === undefined) throw new Error(`Cannot apply "${name}": no source has its text: ${from}`);
  if (found.length > 1)
    throw new Error(`Cannot apply "${name}": name one of ${found.map((one) => one.file).join(', ')}`);
  if (source.text.split(from).length > 2)
    throw new Error(`Cannot apply "${name}": its text stands more than once in ${source.file}`);
  return source;
}

/** The source without the defence. Throws where what is left is no program. */
export function mutatedText({ file, text }: Source, { name, from, to }: Mutation): string {
  const mutated = text.replace(from, () => to);
  if (!file.endsWith('.ts')) return mutated;
  try {
    stripTypeScriptTypes(mutated);
  } catch (error) {
    throw new Error(`Cannot apply "${name}": what is left of ${file} is no program`, { cause: error });
  }
  return mutated;
}
