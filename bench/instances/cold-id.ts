import { type Reply, visitorsOf } from '../load/reply.ts';
import { type Arrival, nowNs } from '../upstream/arrival.ts';
import { openStage, type Stage, until } from './stage.ts';

/** What came of many readers of one id that nobody knew. */
export interface ColdFigures {
  readonly title: string;
  readonly rounds: number;
  readonly visitors: number;
  /** Calls that the upstream saw about the id, in each round. */
  readonly calls: readonly number[];
  /** What visitors got, with how many of them. */
  readonly replies: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

/** Instances in each case. */
const INSTANCES = 3;

interface ColdCase {
  readonly title: string;
  readonly latencyMs: readonly [number, number];
  /** Done before the readers come. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** Done once the first call has arrived. */
  readonly onceAsked?: (stage: Stage) => Promise<void>;
  /** Done after each round. */
  readonly after?: (stage: Stage) => Promise<void>;
}

const CASES: readonly ColdCase[] = [
  { title: 'the upstream answers', latencyMs: [300, 300] },
  {
    title: 'the upstream fails (500)',
    latencyMs: [300, 300],
    before: ({ upstream }) => upstream.fail('both', { kind: 'status', status: 500 }),
    after: ({ upstream }) => upstream.fail('both', { kind: 'none' }),
  },
  {
    title: 'the instance that asks is killed',
    latencyMs: [1_500, 1_500],
    onceAsked: ({ instances }) => instances[0]!.kill(),
    after: ({ instances }) => instances[0]!.restart(),
  },
];

/** Lets readers loose on ids that nobody knows, on all instances at once. */
export async function coldId(rounds: number, visitorsEach: number): Promise<ColdFigures[]> {
  const figures: ColdFigures[] = [];
  for (const each of CASES) figures.push(await playCase(each, rounds, visitorsEach));
  return figures;
}

async function playCase(each: ColdCase, rounds: number, visitorsEach: number): Promise<ColdFigures> {
  await using stage = await openStage({
    instances: INSTANCES,
    upstream: { sources: rounds, latencyMs: each.latencyMs },
    env: { PULSE_FRESH_MS: '60000' },
  });
  const played = { calls: [] as number[], replies: {} as Record<string, number>, slowestMs: 0 };
  for (const id of stage.upstream.ids) {
    await each.before?.(stage);
    const seen = await audienceAt(stage, id, visitorsEach, each.onceAsked);
    for (const { reply, tookMs } of seen) {
      const said = reply.status === 200 ? '200' : `${reply.status} ${reply.said ?? ''}`.trim();
      played.replies[said] = (played.replies[said] ?? 0) + 1;
      played.slowestMs = Math.max(played.slowestMs, tookMs);
    }
    played.calls.push(callsAbout(await stage.upstream.arrivals(), id));
    await each.after?.(stage);
  }
  console.log(`  ${each.title}: calls ${played.calls.join(', ')}`);
  return { title: each.title, rounds, visitors: INSTANCES * visitorsEach, ...played };
}

/** One reader first, so that it is known who asks; all the others while the call is under way. */
async function audienceAt(stage: Stage, id: string, visitorsEach: number, onceAsked: ColdCase['onceAsked']) {
  const visit = async (instance: number) => {
    const from = nowNs();
    const reply: Reply = await visitorsOf(stage.instances[instance]!.url)(id);
    return { instance, reply, tookMs: (nowNs() - from) / 1e6 };
  };
  const first = visit(0);
  if (onceAsked) await until(async () => callsAbout(await stage.upstream.arrivals(), id) > 0);
  const others = [1, 2, 0].flatMap((instance) =>
    Array.from({ length: visitorsEach - (instance === 0 ? 1 : 0) }, () => visit(instance)),
  );
  await onceAsked?.(stage);
  return Promise.all([first, ...others]);
}

function callsAbout(arrivals: readonly Arrival[], id: string): number {
  return arrivals.filter(({ path }) => path?.includes(`/${id}/`)).length;
}
