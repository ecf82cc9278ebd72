import type { IncomingMessage } from 'node:http';
import { isSourceId } from '@pulse-card/contract';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { thrownText } from './thrown-text.ts';

/** Returns what a request may see, and who the reader is. Rejects if the application doesn't answer. */
export type Authorize = (request: IncomingMessage) => Promise<Authorization>;

/** The checked result of `authorize`. */
interface Authorization {
  readonly sources: '*' | readonly string[];
  readonly reader: string | undefined;
}

/** The maximum length of a reader's name, in characters. */
const MAX_READER = 256;

/** How long the application may take to answer, in ms. */
const TIMEOUT_MS = 5_000;

/**
 * Creates a function that checks what the application's `authorize` returns. The function rejects if `authorize`
 * throws, takes 5 s, or returns an invalid value.
 */
export function checkedAuthorize(
  authorize: (request: IncomingMessage) => unknown,
  clock: Clock = systemClock,
): Authorize {
  return async (request) => {
    const late = Promise.withResolvers<never>();
    const cancel = clock.schedule(TIMEOUT_MS, () => late.reject(new Error('it took 5 s')));
    try {
      return authorizationIn(await Promise.race([(async () => authorize(request))(), late.promise]));
    } catch (cause) {
      throw new Error(`authorize() failed: ${thrownText(cause)}`, { cause });
    } finally {
      cancel();
    }
  };
}

/**
 * Checks the return value of `authorize`. The value is a set of rights, or an object with rights and optionally a
 * reader.
 */
function authorizationIn(answer: unknown): Authorization {
  if (!hasSources(answer)) return { sources: rightsIn(answer, ''), reader: undefined };
  const { sources, reader, ...others } = answer;
  if (Object.keys(others).length > 0)
    throw new TypeError('it returned an object with more than "sources" and "reader"');
  if (reader !== undefined && typeof reader !== 'string')
    throw new TypeError(`it returned ${inWords(reader)} as "reader", not a string`);
  if (reader !== undefined && reader.length > MAX_READER)
    throw new TypeError(`it returned a "reader" of more than ${MAX_READER} characters`);
  return { sources: rightsIn(sources, ' as "sources"'), reader };
}

function rightsIn(value: unknown, as: string): Authorization['sources'] {
  if (value === '*') return value;
  if (Array.isArray(value) && value.every(isSourceId)) return value;
  throw new TypeError(`it returned ${inWords(value)}${as}, not "*" or an array of source ids`);
}

function hasSources(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && 'sources' in value;
}

/** Describes the kind of a value without revealing its data. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return 'an array with an item that is not a source id';
  if (typeof value === 'string') return 'another string';
  if (value === null || value === undefined) return String(value);
  if (value instanceof Set) return 'a Set';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
