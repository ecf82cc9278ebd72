import type { DocumentOutline } from './document-outline.ts';
import { type Fault, faultAt } from './fault.ts';

/** The lists of a document. */
export type ListName = keyof DocumentOutline;

/** An id that one entry names and another must have. */
export interface Reference {
  path: readonly [ListName, number, string];
  to: ListName;
  id: string;
}

/** Every field that refers to another list. */
const REFERRING = [
  ['sources', 'accountId', 'accounts'],
  ['sources', 'organizationId', 'organizations'],
  ['connections', 'sourceId', 'sources'],
  ['runs', 'connectionId', 'connections'],
] as const;

/** Every id that a list holds twice. */
export function duplicateIds(outline: DocumentOutline): Fault[] {
  return Object.entries(outline).flatMap(([list, entries]) => {
    const firstAt = new Map<string, number>();
    return entries.flatMap(({ id }, index) => {
      const first = id === undefined ? undefined : firstAt.get(id);
      if (first !== undefined) return [faultAt([list, index, 'id'], `is already the id of ${list}[${first}]`)];
      if (id !== undefined) firstAt.set(id, index);
      return [];
    });
  });
}

/** The references that nothing in the document answers to; the database may still know them. */
export function openReferences(outline: DocumentOutline): Reference[] {
  return REFERRING.flatMap(([list, field, to]) => {
    const known = new Set(outline[to].map(({ id }) => id));
    return outline[list].flatMap((entry: Readonly<Record<string, unknown>>, index): Reference[] => {
      const id = entry[field];
      return typeof id === 'string' && !known.has(id) ? [{ path: [list, index, field], to, id }] : [];
    });
  });
}
