import { hostSwitches, mostInWindow } from '../upstream/history.ts';
import { type Fault, failuresIn, onStage, stretch } from './stage.ts';

const FLAP_MS = 5_000;
const FLAPPING_MS = 120_000;

/** The first host is up and down by turns; the second is well. */
export const flappingHost: Fault = () =>
  // Fresh for less than a flap, so that there are calls to see in each.
  onStage({ PULSE_FRESH_MS: '4000' }, async ({ upstream, visitsBetween, arrivalsBetween }) => {
    await upstream.fail('A', { kind: 'flap', everyMs: FLAP_MS });
    const [fromNs, toNs] = await stretch(FLAPPING_MS);
    const during = await arrivalsBetween(fromNs, toNs);
    const visits = visitsBetween(fromNs, toNs);
    const minutes = FLAPPING_MS / 60_000;
    const moments = during.map(({ atNs }) => atNs);
    return {
      title: 'A flapping host',
      done: `Host A refuses connections and is well by turns, ${FLAP_MS / 1000} s each, for ${FLAPPING_MS / 1000} s; host B is well. Attempts at a closed port leave no trace.`,
      facts: [
        ['visitor failures for known ids', failuresIn(visits)],
        [
          'visitors, p50 / p99 / slowest',
          `${visits.p50Ms.toFixed(1)} / ${visits.p99Ms.toFixed(1)} / ${visits.maxMs.toFixed(0)} ms`,
        ],
        [
          'calls that arrived at A / B',
          ['A', 'B'].map((name) => during.filter(({ host }) => host === name).length).join(' / '),
        ],
        ['switches of the host that takes the calls, a minute', hostSwitches(during) / minutes],
        ['most calls in any 60 s', mostInWindow(moments, 60e9)],
      ],
    };
  });
