import type { Visit } from './visits.ts';

/** What visitors went through. */
export interface VisitFigures {
  readonly views: number;
  readonly answered: number;
  readonly stale: number;
  /** The port was closed. */
  readonly refused: number;
  /** The connection ended before the answer did. */
  readonly cut: number;
  /** No answer as long as the visitor waited. */
  readonly gaveUp: number;
  /** Failures for sources that had been answered before. */
  readonly failedThoughKnown: number;
  /** Failures for sources that had never been answered. */
  readonly failedUnknown: number;
  /** Failures by status and code. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** What was known before the visits, and when all that was known was lost. */
export interface Knowledge {
  /** Sources that had been answered. @default none */
  readonly known?: Iterable<string>;
  /** @default never */
  readonly lostAtNs?: readonly number[];
}

/** Sums visits up. */
export function visitFigures(visits: readonly Visit[], knowledge: Knowledge = {}): VisitFigures {
  const { known: before = [], lostAtNs = [] } = knowledge;
  const known = new Set(before);
  const losses = lostAtNs.toSorted((a, b) => a - b);
  const counts = { answered: 0, stale: 0, refused: 0, cut: 0, gaveUp: 0, failedThoughKnown: 0, failedUnknown: 0 };
  const failures: Record<string, number> = {};
  for (const visit of visits.toSorted((a, b) => a.atNs - b.atNs)) {
    for (; losses.length > 0 && losses[0]! <= visit.atNs; losses.shift()) known.clear();
    if (visit.status === 'refused') counts.refused += 1;
    else if (visit.status === 'cut') counts.cut += 1;
    else if (visit.status === 'gave-up') counts.gaveUp += 1;
    else if (visit.status === 200) {
      counts.answered += 1;
      if (visit.isStale) counts.stale += 1;
      known.add(visit.id);
    } else {
      counts[known.has(visit.id) ? 'failedThoughKnown' : 'failedUnknown'] += 1;
      const why = `${visit.status} ${visit.said ?? ''}`.trim();
      failures[why] = (failures[why] ?? 0) + 1;
    }
  }
  const took = visits.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { views: visits.length, ...counts, failures, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
