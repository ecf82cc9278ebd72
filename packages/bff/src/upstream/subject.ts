import { type ReadPulse, readPulseBodySchema, type ReadSource, readSourcesBodySchema } from '@pulse-card/contract';
import type { z } from 'zod';

/** The subject of calls about the list of sources. Every other subject is the id of a source. */
export const LIST_ID = '*list';

/** The two operations of the service that the BFF calls. Each requires a different scope. */
export type OperationKind = 'sources' | 'pulse';

/** The kind of the operation that answers a subject. */
export function kindOf(subject: string): OperationKind {
  return subject === LIST_ID ? 'sources' : 'pulse';
}

/** The account that a key belongs to. It is used in the operator's key check, and as a digest to compare accounts. */
export interface Account {
  readonly id: string;
  readonly email: string;
}

/** A valid body from the service. */
interface Body<Value> {
  readonly value: Value;
  readonly account: Account | undefined;
}

/** An operation of the service, and how its answer is read. */
export interface Operation<Value> {
  readonly subject: string;
  readonly schema: z.ZodType<Body<Value>>;
  /** The value for the service's own 404. @default a 404 is a failure */
  readonly absence?: Value;
}

/** The list of sources, without the rows that couldn't be read. */
export interface SourceRows {
  readonly rows: readonly ReadSource[];
  readonly unreadableRows: number;
  /** Ids of earlier lists, stored with this one. */
  readonly discovered?: readonly string[] | undefined;
}

/** The list of sources. */
export const listOperation: Operation<SourceRows> = {
  subject: LIST_ID,
  schema: readSourcesBodySchema.transform(({ meta, sources: rows, unreadableRows }) => ({
    value: { rows, unreadableRows },
    account: meta?.account,
  })),
};

const pulseBodySchema = readPulseBodySchema.transform(({ meta, pulse }) => ({ value: pulse, account: meta?.account }));

/** The latest pulse of a source; null if it has none. */
export function pulseOperation(sourceId: string): Operation<ReadPulse | null> {
  const schema = pulseBodySchema.refine(({ value }) => value.sourceId === sourceId, 'is about another source');
  return { subject: sourceId, absence: null, schema };
}

/** The value of an answer: the latest pulse of a source, null if it has none, or the list. */
export type Content = ReadPulse | null | SourceRows;

/** Returns whether a value is the list, not the pulse of a source. */
export function isList(value: Content): value is SourceRows {
  return value !== null && 'rows' in value;
}

/** The operation that answers a subject. */
export function operationOn(subject: string): Operation<Content> {
  return subject === LIST_ID ? listOperation : pulseOperation(subject);
}
