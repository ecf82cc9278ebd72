import { AWKWARD_TEXTS } from './awkward-texts.ts';
import { NULL_FIELDS } from './stand-in.ts';

/** A card in one state, and the cause of this state. */
export interface Specimen {
  /** The state of the stand-in. */
  readonly state: string;
  readonly title: string;
  /** The cause, such as a field, a code, or an attribute. */
  readonly cause: string;
  readonly group: SpecimenGroup;
  readonly open?: boolean;
}

/** The groups that can be chosen. */
export const SPECIMEN_GROUPS = [
  { value: 'life', label: 'States' },
  { value: 'missing', label: 'Null fields' },
  { value: 'texts', label: 'Texts' },
  { value: 'errors', label: 'Failures' },
] as const;

/** A group of specimens. */
export type SpecimenGroup = (typeof SPECIMEN_GROUPS)[number]['value'];

/** Every state of the card, except the codes, which are in a table. */
export const SPECIMENS: readonly Specimen[] = [
  { group: 'life', state: 'loading', title: 'Loading', cause: 'state loading' },
  { group: 'life', state: 'fresh', title: 'Fresh', cause: 'state ready' },
  { group: 'life', state: 'stale', title: 'Earlier version', cause: 'meta.stale true, state stale' },
  { group: 'life', state: 'delayed', title: 'Updates delayed', cause: 'source.status DEGRADED' },
  { group: 'life', state: 'paused', title: 'Updates paused', cause: 'source.status BROKEN' },
  { group: 'life', state: 'overdue', title: 'Overdue', cause: 'source.rhythm.overdueSince' },
  { group: 'life', state: 'withheld', title: 'Text withheld', cause: 'pulse.withheld true' },
  { group: 'life', state: 'unknown-status', title: 'Unknown status', cause: 'source.status RESTING' },
  { group: 'life', state: 'pulse_not_found', title: 'No chart yet', cause: 'pulse_not_found, state empty' },
  { group: 'life', state: 'fresh', title: 'Unfolded', cause: 'open', open: true },
  { group: 'life', state: 'history', title: 'Earlier findings', cause: 'history, open', open: true },
  { group: 'errors', state: 'upstream_unavailable', title: 'Error', cause: 'upstream_unavailable, state error' },
  { group: 'errors', state: 'source_unknown', title: 'No such source', cause: 'source_unknown' },
  { group: 'errors', state: 'origin_forbidden', title: 'Not allowed', cause: 'origin_forbidden' },
  { group: 'errors', state: 'no-picture', title: 'Picture missing', cause: 'pulse.imageUrl does not load' },
  ...NULL_FIELDS.map((field): Specimen => ({
    group: 'missing',
    state: `null-${field}`,
    title: `No ${fieldWords(field)}`,
    cause: `pulse.${field} null`,
  })),
  { group: 'missing', state: 'null-all', title: 'All of these missing', cause: 'all null' },
  ...AWKWARD_TEXTS.map(({ id, title }): Specimen => ({
    group: 'texts',
    state: `text-${id}`,
    title,
    cause: 'the pulse’s texts',
  })),
];

/** The specimens that match a search and a group. Each word of the search must be in the title or the cause. */
export function specimensFor(search: string, group: SpecimenGroup | 'all'): readonly Specimen[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return SPECIMENS.filter(
    (specimen) =>
      (group === 'all' || specimen.group === group) &&
      words.every((word) => `${specimen.title} ${specimen.cause}`.toLowerCase().includes(word)),
  );
}

function fieldWords(field: (typeof NULL_FIELDS)[number]): string {
  return {
    sourceName: 'name',
    completedAt: 'time',
    imageUrl: 'chart',
    aiSummaryShort: 'finding',
    aiSummaryLong: 'analysis',
  }[field];
}
