import type { z } from 'zod';
import { CommandError } from '../command-error.ts';

/** One thing that is wrong with a document, as `runs[3].image: is not a PNG`. */
export type Fault = string;

/** A document holds faults; the message has one a line. */
export class DocumentError extends CommandError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The fault at `path`, which is written as JavaScript would: a name that is none is quoted, with its control characters escaped. */
export function faultAt(path: readonly PropertyKey[], what: string): Fault {
  const place = path.map(stepOf).join('');
  return `${place.replace(/^\./, '') || 'document'}: ${what}`;
}

function stepOf(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = String(step);
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The faults that a schema found; an unknown field is one at its own path. */
export function faultsIn(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt([...issue.path, key], 'unknown field'))
      : [faultAt(issue.path, issue.message)],
  );
}
