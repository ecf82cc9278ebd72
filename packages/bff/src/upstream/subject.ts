import { type ReadPulse, readPulse, type ReadSource, readSources, type UnreadableResponse } from '@pulse-card/contract';

/** The subject of calls for the list of sources. Every other subject is the id of a source. */
export const LIST_ID = '*list';

/** The two operations of the service that the BFF calls. Each operation requires a different scope. */
export type OperationKind = 'sources' | 'pulse';

/** The kind of operation that requests a subject. */
export function kindOf(subject: string): OperationKind {
  return subject === LIST_ID ? 'sources' : 'pulse';
}

/**
 * The account that a key belongs to. The operator's key check shows the account, and its digest is used to compare
 * accounts.
 */
export interface Account {
  readonly id: string;
  readonly email: string;
}

/** A valid body from the service. */
interface Body<Value> {
  readonly ok: true;
  readonly value: Value;
  readonly account: Account | undefined;
}

/** An operation of the service, and the rules for reading its answer. */
export interface Operation<Value> {
  readonly subject: string;
  readonly read: (body: unknown) => Body<Value> | UnreadableResponse;
  /** The value of the answer if the service itself responds with 404. @default a 404 is a failure */
  readonly absence?: Value;
}

/** The list of sources, without the rows that couldn't be read. */
export interface SourceRows {
  readonly rows: readonly ReadSource[];
  readonly unreadableRows: number;
  /** Ids from earlier lists, which are stored with this list. */
  readonly discovered?: readonly string[] | undefined;
}

/** The list of sources. */
export const listOperation: Operation<SourceRows> = {
  subject: LIST_ID,
  read: (body) => {
    const reading = readSources(body);
    if (!reading.ok) return reading;
    const { account, sources: rows, leftOut } = reading;
    return { ok: true, account, value: { rows, unreadableRows: leftOut.length } };
  },
};

/** Requests the latest pulse of a source. The value is null if the source has no pulse. */
export function pulseOperation(sourceId: string): Operation<ReadPulse | null> {
  const read = (body: unknown) => {
    const reading = readPulse(body, sourceId);
    return reading.ok ? { ok: true as const, account: reading.account, value: reading.pulse } : reading;
  };
  return { subject: sourceId, absence: null, read };
}

/** The value of an answer: the list, the latest pulse of a source, or null if the source has none. */
export type Content = ReadPulse | null | SourceRows;

/** Returns whether a value is the list rather than the pulse of a source. */
export function isList(value: Content): value is SourceRows {
  return value !== null && 'rows' in value;
}

/** Returns the operation that requests a subject. */
export function operationOn(subject: string): Operation<Content> {
  return subject === LIST_ID ? listOperation : pulseOperation(subject);
}
