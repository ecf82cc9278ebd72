import { visitorsOf } from '../load/reply.ts';
import { nowNs } from '../upstream/arrival.ts';
import { type Fault, failuresIn, firstAfterMs, onStage, stretch, UNSEEN_ID } from './stage.ts';

const HUNG_MS = 60_000;
const AFTER_MS = 60_000;

/** The first host takes calls and never answers; the second is well. */
export const hungHost: Fault = () =>
  onStage({}, async ({ upstream, bff, visitsBetween, arrivalsBetween }) => {
    await upstream.fail('A', { kind: 'hang' });
    const cold = askCold(bff.url);
    const [fromNs, toNs] = await stretch(HUNG_MS);
    await upstream.fail('A', { kind: 'none' });
    const [backNs, endNs] = await stretch(AFTER_MS);
    const during = await arrivalsBetween(fromNs, toNs);
    const after = await arrivalsBetween(backNs, endNs);
    const visits = visitsBetween(fromNs, toNs);
    return {
      title: 'A hung host',
      done: `Host A takes calls and never answers for ${HUNG_MS / 1000} s, then is well for ${AFTER_MS / 1000} s; host B is well throughout. Deadline 5 s.`,
      facts: [
        ['visitor failures for known ids', failuresIn(visits)],
        [
          'visitors, p50 / p99 / slowest',
          `${visits.p50Ms.toFixed(1)} / ${visits.p99Ms.toFixed(1)} / ${visits.maxMs.toFixed(0)} ms`,
        ],
        ['a reader of a source never asked for before', await cold],
        ['calls at A while hung', during.filter(({ host }) => host === 'A').length],
        ['calls at B while A hung', during.filter(({ host }) => host === 'B').length],
        [
          'first call at B after, ms',
          firstAfterMs(
            during.filter(({ host }) => host === 'B'),
            fromNs,
          ),
        ],
        [
          'first call at A answered again after, ms',
          firstAfterMs(
            after.filter(({ host }) => host === 'A'),
            backNs,
          ),
        ],
        [
          'calls at A / B in the minute after',
          ['A', 'B'].map((name) => after.filter(({ host }) => host === name).length).join(' / '),
        ],
      ],
    };
  });

async function askCold(url: string): Promise<string> {
  const askedNs = nowNs();
  const { status, said } = await visitorsOf(url)(UNSEEN_ID);
  return `${status} (${said ?? 'nothing'}) after ${((nowNs() - askedNs) / 1e6).toFixed(0)} ms`;
}
