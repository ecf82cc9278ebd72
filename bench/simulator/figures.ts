import { maxInAnyWindow } from '../../packages/bff/src/testing/arrivals.ts';

/** The figures of a run. */
export interface Figures {
  /**
   * The mean staleness of all views, in s. The staleness of a view is the time since the first change that its copy
   * lacked.
   */
  stalenessSeconds: number;
  /** The share of views whose copy lacked a change. */
  staleShare: number;
  /** The staleness that 1% of the views exceed, in s. */
  p99Seconds: number;
  /** The share of views that waited for a call. */
  waitedShare: number;
  /** The number of views that had no copy to show. */
  unanswered: number;
  views: number;
  /** The number of calls after the warm-up. */
  calls: number;
  /** The largest number of calls that reached the upstream in any window, including the warm-up. */
  maxInWindow: number;
}

/** Collects the views of readers after the warm-up. */
export class Tally {
  readonly #staleness: number[] = [];
  #waited = 0;
  #unanswered = 0;
  #calls = 0;
  readonly #arrivals: number[] = [];

  saw(stalenessMs: number, waited: boolean): void {
    this.#staleness.push(stalenessMs);
    if (waited) this.#waited += 1;
  }

  sawNothing(): void {
    this.#unanswered += 1;
  }

  called(arrivesAt: number, counted: boolean): void {
    this.#arrivals.push(arrivesAt);
    if (counted) this.#calls += 1;
  }

  figures(windowMs: number): Figures {
    const sorted = Float64Array.from(this.#staleness).sort();
    const views = sorted.length;
    const sum = sorted.reduce((total, staleness) => total + staleness, 0);
    return {
      stalenessSeconds: views === 0 ? 0 : sum / views / 1_000,
      staleShare: views === 0 ? 0 : sorted.filter((staleness) => staleness > 0).length / views,
      p99Seconds: (sorted[Math.ceil(views * 0.99) - 1] ?? 0) / 1_000,
      waitedShare: views === 0 ? 0 : this.#waited / views,
      unanswered: this.#unanswered,
      views,
      calls: this.#calls,
      maxInWindow: maxInAnyWindow(this.#arrivals, windowMs),
    };
  }
}

/** The mean of each figure over the runs, except `maxInWindow`, which is the maximum. */
export function meanFigures(runs: readonly Figures[]): Figures {
  const mean = (of: (run: Figures) => number) => runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  return {
    stalenessSeconds: mean((run) => run.stalenessSeconds),
    staleShare: mean((run) => run.staleShare),
    p99Seconds: mean((run) => run.p99Seconds),
    waitedShare: mean((run) => run.waitedShare),
    unanswered: mean((run) => run.unanswered),
    views: mean((run) => run.views),
    calls: mean((run) => run.calls),
    maxInWindow: Math.max(...runs.map((run) => run.maxInWindow)),
  };
}
