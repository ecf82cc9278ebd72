import type { z } from 'zod';
import { CommandError } from '../command-error.ts';
import { printable } from '../printable.ts';

/** One error in a document, such as `runs[3].image: is not a PNG`. */
export type Fault = string;

/** The maximum number of errors in a message. */
const MAX_SHOWN = 100;

/** A document has errors. The message contains the first hundred, one per line, and the total number. */
export class DocumentError extends CommandError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const shown = faults.slice(0, MAX_SHOWN);
    const total = `${faults.length.toLocaleString('en-US')} errors in all; the first ${MAX_SHOWN} are above`;
    super((faults.length > MAX_SHOWN ? [...shown, total] : shown).join('\n'));
    this.faults = faults;
  }
}

/** The error at `path`, written as in JavaScript: a key that isn't an ASCII identifier is quoted, with its hidden characters escaped. */
export function faultAt(path: readonly PropertyKey[], what: string): Fault {
  const place = path.map(stepOf).join('');
  return `${place.replace(/^\./, '') || 'document'}: ${what}`;
}

function stepOf(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = String(step);
  return /^[a-z_$][\w$]*$/i.test(name) ? `.${name}` : `[${printable(JSON.stringify(name))}]`;
}

/** The errors that a schema found in the value at `path`. An unknown field is reported at its own path. */
export function faultsIn(error: z.ZodError, path: readonly PropertyKey[] = []): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt([...path, ...issue.path, key], 'unknown field'))
      : [faultAt([...path, ...issue.path], issue.message)],
  );
}
