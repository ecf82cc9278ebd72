import { type Clock, repeat } from '../lib/clock.ts';
import { LIST } from '../upstream/target.ts';
import type { Answers } from './answers.ts';

/** How often the loop decides which source gets the next call. */
const TICK_MS = 500;

/** The list is refreshed at this age, even if no reader requests it. */
const LIST_AGE_MS = 120_000;

/** This fraction of a burst is reserved for readers who are waiting. */
const SHARE_FOR_READERS = 1 / 3;

/** The maximum number of refreshes that one tick starts. */
const MAX_PER_TICK = 50;

/**
 * Makes the calls that no reader waits for, until the returned function is called: for the list, for the sources without
 * which an instance isn't ready, and for the sources that were viewed since their last refresh. Of these, the one with
 * the largest views × age comes first.
 */
export function startRefreshLoop(answers: Answers, clock: Clock): () => void {
  const end = repeat(clock, TICK_MS, () => tick(answers));
  answers.key.onChange(() => void answers.fetch(LIST, { isAwaited: true, isForced: true }));
  tick(answers);
  return end;
}

function tick(answers: Answers): void {
  const { upstream, views, wanted, freshMs } = answers;
  if (isListDue(answers)) void answers.fetch(LIST, { isForced: true });
  for (const ids of wanted) for (const id of ids()) if (!upstream.blocks(id)) void answers.fetch(id);
  const due = [...views.unrefreshed()]
    .filter(([target]) => answers.ageMs(target) >= freshMs && upstream.blocks(target) === undefined)
    .map(([target, count]) => ({ target, value: count * answers.ageMs(target) }))
    .sort((one, other) => other.value - one.value);
  views.bestValue = due[0]?.value ?? 0;
  const { left, maxLeft } = upstream.status().budget;
  const calls = Math.min(MAX_PER_TICK, left - Math.floor(SHARE_FOR_READERS * maxLeft));
  for (const { target } of due.slice(0, Math.max(0, calls))) void answers.fetch(target);
}

/** The list is also the first target requested from a host that was down, because no reader waits for it. */
function isListDue(answers: Answers): boolean {
  const { upstream } = answers;
  const ageMs = answers.ageMs(LIST);
  if (ageMs === Infinity) return upstream.blocks(LIST) === undefined;
  return upstream.whyNoCall(LIST) === undefined && (upstream.hosts.areAllDown || ageMs >= LIST_AGE_MS);
}
