import type { Clock } from '../lib/clock.ts';
import type { Content } from '../upstream/subject.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { SavedState } from './answer-folder.ts';
import type { Entries } from './entries.ts';
import { type ExposedFields, lacksField } from './exposed-fields.ts';

/** Where restored answers are stored. */
export interface RestoreParts {
  readonly entries: Entries;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly freshForMs: number;
  readonly exposed: ExposedFields;
}

/** Stores what an earlier process saved; newer answers stay. */
export function restoreAnswers(saved: SavedState, parts: RestoreParts): void {
  const { sources, fields, requestedAtMs, discovered, refusedSinceMs, pulses } = saved;
  if (refusedSinceMs !== null) parts.upstream.apiKey.restoreRefusal(monotonicOf(refusedSinceMs, parts.clock));
  const value = sources && { rows: sources, unreadableRows: 0, discovered };
  if (value) restoreAnswer(LIST_ID, { value, requestedAtMs, fields }, parts);
  for (const each of pulses) restoreAnswer(each.sourceId, { ...each, value: each.pulse }, parts);
}

interface SavedAnswer {
  readonly value: Content;
  readonly requestedAtMs: number;
  readonly fields: readonly string[];
}

function restoreAnswer(subject: string, { value, requestedAtMs, fields }: SavedAnswer, parts: RestoreParts): void {
  const { entries, clock, freshForMs, exposed } = parts;
  // An answer that lacks a field that readers get is stale.
  const latest = lacksField(fields, exposed) ? clock.now() - freshForMs : Infinity;
  const requestedAt = Math.min(latest, monotonicOf(requestedAtMs, clock));
  entries.store(subject, { value, requestedAtMs, requestedAt, fencingToken: 0 });
}

/** Converts a time of the wall clock to the monotonic clock; never in the future. */
function monotonicOf(wallMs: number, clock: Clock): number {
  return clock.now() - Math.max(0, clock.wallNow() - wallMs);
}
