import { percent, table } from '../report/table.ts';
import { MAX_SHARE_OF_BOUND, MAX_SHARE_OF_TTL, ratiosOf, type WorldResult } from './measure.ts';
import { isPromised } from './world-plan.ts';

/** The results as a Markdown page. */
export function reportOf(results: readonly WorldResult[], seeds: readonly number[], faults: readonly string[]): string {
  return [
    intro(seeds, results[0]?.plan.hours ?? 0),
    '## The promise',
    `The promise covers scenarios with at least 60 sources and at least 5 views per second. The planner's staleness there is at most ${MAX_SHARE_OF_BOUND} times the offline bound, and at most ${MAX_SHARE_OF_TTL} times the staleness of the best-tuned TTL with stale-while-revalidate. No policy makes more calls in a window than allowed. ${faults.length === 0 ? 'The promise is kept in every scenario.' : ''}`,
    ...faults.map((fault) => `- Broken: ${fault}`),
    ratios(results),
    ...results.map(worldTable),
    LIMITS,
  ].join('\n\n');
}

function intro(seeds: readonly number[], hours: number): string {
  return `The simulation uses a virtual clock and the BFF's own planner and call budget (imported, not copied). Every policy runs in the same scenarios, with the same views
and the same changes. Each figure is the mean of the runs with the seeds ${seeds.join(', ')}. Each run lasts ${hours} hours, and the first hour is not counted. Views follow Zipf's law with the exponent 1.1. Changes to each source follow a Poisson process. The mean time between two changes is 30 s to 6 h (evenly spread on a logarithmic scale). A key has 60 calls per minute, which are counted when they arrive.

- **still**: Rates are constant, and the upstream always answers immediately, as the theory assumes.
- **living**: Views vary by 80% between day and night (a day lasts six hours). Every 20 minutes, one source has 30 times more readers for ten minutes. Every 4 h, a source changes up to 4 times faster or slower than before. Calls take 100 to 800 ms, and 2% of them fail.
- **as delivered**: Like living, but with the BFF's defaults: 15 of the 60 calls are left for others, and copies younger than 15 s are not refreshed.

The staleness of a view is the time since the first change that the shown copy lacks, or 0 if the copy is up to date. A reader waits for at most 500 ms, and then gets the old copy. Rows with a TTL show the lifetime that turned out to be the best. The **offline bound** is the lowest staleness that evenly spaced refreshes can reach if the schedule knows all current rates. This schedule has the same latency, failures, and minimum age as the simulation, but can use fractions of calls. The schedule has no readers who wait for a refresh that they cause, so the planner can be below the bound. The rows **age index, learned** show the planner. With it, a reader of an old copy waits
if the source ranks at least as high as the next planned refresh.`;
}

function ratios(results: readonly WorldResult[]): string {
  const rows = results.map((result) => {
    const { toBound, toTtl } = ratiosOf(result);
    return [result.plan.name, isPromised(result.plan) ? 'yes' : 'no', result.boundSeconds, toBound, toTtl];
  });
  return table(['scenario', 'promised', 'offline bound, s', 'planner / bound', 'planner / best TTL'], rows);
}

function worldTable({ plan, boundSeconds, scores }: WorldResult): string {
  const rows = scores.map((score) => [
    score.setting === '' ? score.name : `${score.name} (${score.setting})`,
    score.stalenessSeconds,
    percent(score.staleShare),
    score.p99Seconds,
    percent(score.waitedShare),
    score.calls / ((plan.hours - 1) * 60),
    score.maxInWindow,
    `${Math.min(...score.bySeed).toFixed(2)} to ${Math.max(...score.bySeed).toFixed(2)}`,
  ]);
  const head = [
    '',
    'mean staleness, s',
    'stale views',
    'p99, s',
    'views that waited',
    'calls per minute',
    'most calls in a window',
    'range over the seeds, s',
  ];
  return `## ${plan.name}\n\nOffline bound ${boundSeconds.toFixed(2)} s.\n\n${table(head, rows)}`;
}

const LIMITS = `## What this does not show

- Views and changes are generated, not recorded. Real readers and real sources have habits that this simulation does not have.
- With 0.5 views per second for 300 sources, most views are of a source that no one has viewed for half an hour. The planner deliberately refreshes such a source at
  most once an hour. Readers who wait keep such a source fresh if the upstream answers within 500 ms.
- The simulation has one instance. Other benchmarks use real processes to measure two hosts, other users of the key, and outages.`;
