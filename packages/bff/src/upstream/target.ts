import { isSourceId, type KeyScope, pulsePath, type ReadPulse, type ReadSource, ROUTES } from '@pulse-card/contract';

/** The target of calls for the list of sources. Every other target is the ID of a source. */
export const LIST = '*list';

/** The two service operations that the BFF calls. */
export type Operation = 'sources' | 'pulse';

/** The scope that each operation needs. */
export const SCOPES: Readonly<Record<Operation, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };

export function operationOf(target: string): Operation {
  return target === LIST ? 'sources' : 'pulse';
}

/** The list of sources, without the rows that couldn't be read. */
export interface SourceRows {
  readonly rows: readonly ReadSource[];
  readonly unreadableRows: number;
}

/** What the service returned: the list, the latest pulse of a source, or null if the source has none. */
export type Content = ReadPulse | null | SourceRows;

/** Whether a value is the source list rather than a single source's pulse. */
export function isList(value: Content): value is SourceRows {
  return value !== null && 'rows' in value;
}

/**
 * The URL under `base` to request `target` from. The base may have a path. No source ID can point outside it, because it
 * has only characters that don't need escaping.
 */
export function urlOf(base: URL, target: string): URL {
  if (target !== LIST && !isSourceId(target)) throw new Error('Can’t call the service: not a source ID');
  const path = base.pathname.replace(/\/+$/, '') + (target === LIST ? ROUTES.sources : pulsePath(target));
  return new URL(base.origin + path);
}
