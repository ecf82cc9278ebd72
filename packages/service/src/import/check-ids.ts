import type { ImportDocument } from './document-schema.ts';
import { type Fault, faultAt } from './fault.ts';

/** The lists of a document. */
export type ListName = keyof ImportDocument;

/** An id that one entry names and another must have. */
export interface Reference {
  path: readonly [ListName, number, string];
  to: ListName;
  id: string;
}

const LISTS: readonly ListName[] = ['accounts', 'organizations', 'sources', 'connections', 'runs'];

/** Every id that a list holds twice. */
export function duplicateIds(document: ImportDocument): Fault[] {
  return LISTS.flatMap((list) => {
    const firstAt = new Map<string, number>();
    return document[list].flatMap(({ id }, index) => {
      const first = firstAt.get(id);
      if (first !== undefined) return [faultAt([list, index, 'id'], `is already the id of ${list}[${first}]`)];
      firstAt.set(id, index);
      return [];
    });
  });
}

/** The references that nothing in the document answers to; the database may still know them. */
export function openReferences(document: ImportDocument): Reference[] {
  const known = new Map(LISTS.map((list) => [list, new Set(document[list].map(({ id }) => id))]));
  return referencesIn(document).filter(({ to, id }) => !known.get(to)?.has(id));
}

function referencesIn({ sources, connections, runs }: ImportDocument): Reference[] {
  return [
    ...sources.flatMap(({ accountId, organizationId }, index): Reference[] => [
      { path: ['sources', index, 'accountId'], to: 'accounts', id: accountId },
      { path: ['sources', index, 'organizationId'], to: 'organizations', id: organizationId },
    ]),
    ...connections.map(({ sourceId }, index): Reference => {
      return { path: ['connections', index, 'sourceId'], to: 'sources', id: sourceId };
    }),
    ...runs.map(({ connectionId }, index): Reference => {
      return { path: ['runs', index, 'connectionId'], to: 'connections', id: connectionId };
    }),
  ];
}
