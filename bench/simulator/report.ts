import { percent, table } from '../report/table.ts';
import { MAX_SHARE_OF_BOUND, MAX_SHARE_OF_TTL, ratiosOf, type WorldResult } from './measure.ts';
import { isPromised } from './world-plan.ts';

/** The results as a Markdown page. */
export function reportOf(results: readonly WorldResult[], seeds: readonly number[], faults: readonly string[]): string {
  return [
    intro(seeds),
    '## The promise',
    `For 60 sources and more at 5 views a second and more: the planner's staleness is at most ${MAX_SHARE_OF_BOUND} times the offline bound and ${MAX_SHARE_OF_TTL} times the staleness of the best-tuned TTL with stale-while-revalidate, and never more calls in a window than allowed. ${faults.length === 0 ? 'Kept in every world.' : ''}`,
    ...faults.map((fault) => `- Broken: ${fault}`),
    ratios(results),
    ...results.map(worldTable),
    LIMITS,
  ].join('\n\n');
}

function intro(seeds: readonly number[]): string {
  return `A virtual clock, the BFF's own planner and its own ledger of calls (imported, not copied), and worlds that every contestant lives through with the same
views and the same changes. Means of the seeds ${seeds.join(', ')}; six hours each, the first of which is not counted. Views follow Zipf 1.1; sources change
every 30 s to 6 h in the mean (spread evenly over the powers), one by one as a Poisson process. A key has 60 calls a minute, counted as they arrive.

- **still**: rates are constant, and the upstream always answers immediately, as the theory assumes.
- **living**: views swing by 80 % between day and night (six hours a day), a burst of 30 times the readers falls on a source every 20 minutes for ten, sources
  change to a different rate every 4 h (up to 4 times faster or slower), calls take 100 to 800 ms, 2 % fail.
- **as delivered**: living, with the BFF's defaults: 15 of the 60 calls left to others, nothing younger than 15 s refreshed.

Staleness of a view: the time since the first change that the shown copy lacked, or 0 if it was up to date. A reader waits 500 ms at most, then gets the
old copy. TTL rows show the best of nine lifetimes, chosen with hindsight. The **offline bound** is what the best schedule with evenly spaced refreshes reaches
that knows every rate as it stands and pays the same latency, failures and least age, but need not spend whole calls; a reader who causes a refresh and waits for
it is outside of that class, which is why the planner can be below it. The planner is **age index, learned**: a reader of an old copy waits if the source
ranks no lower than the next planned refresh.`;
}

function ratios(results: readonly WorldResult[]): string {
  const rows = results.map((result) => {
    const { toBound, toTtl } = ratiosOf(result);
    return [result.plan.name, isPromised(result.plan) ? 'yes' : 'no', result.boundSeconds, toBound, toTtl];
  });
  return table(['world', 'promised', 'offline bound, s', 'planner / bound', 'planner / best TTL'], rows);
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
    'calls a minute',
    'most in a window',
    'by seed, s',
  ];
  return `## ${plan.name}\n\nOffline bound ${boundSeconds.toFixed(2)} s.\n\n${table(head, rows)}`;
}

const LIMITS = `## What this does not show

- Views and changes are drawn, not recorded; real readers and real sources have habits that no process here has.
- With half a view a second on 300 sources most views are of a source that no one has viewed for half an hour. Such a source is refreshed by plan once an hour
  at most, on purpose: the readers who wait keep it fresh if the upstream answers within 500 ms.
- One instance. Two hosts, other users of the key and outages are measured with real processes elsewhere.`;
