import { type Fault, failuresIn, failureWords, firstAfterMs, onStage, stretch } from './stage.ts';

const STORM_MS = 30_000;
const AFTER_MS = 70_000;

/** Every call gets 429, and the headers say until when. */
export const announcedStorm: Fault = () => storm('A storm of 429 that says when it ends', true);

/** Every call gets 429, and nothing says until when. */
export const silentStorm: Fault = () => storm('A storm of 429 that says nothing', false);

function storm(title: string, isAnnounced: boolean): ReturnType<Fault> {
  return onStage({}, async ({ upstream, visitsBetween, arrivalsBetween }) => {
    await upstream.fail('both', { kind: 'limited', ...(isAnnounced ? { untilMs: Date.now() + STORM_MS } : {}) });
    const [fromNs, toNs] = await stretch(STORM_MS);
    await upstream.fail('both', { kind: 'none' });
    const [backNs, endNs] = await stretch(AFTER_MS);
    const visits = visitsBetween(fromNs, endNs);
    const after = await arrivalsBetween(backNs, endNs);
    const headers = isAnnounced ? '`Remaining: 0` and a true `Reset`' : 'no rate headers at all';
    return {
      title,
      done: `Both hosts answer 429 for ${STORM_MS / 1000} s with ${headers}, then are well for ${AFTER_MS / 1000} s.`,
      facts: [
        ['calls while it lasted', (await arrivalsBetween(fromNs, toNs)).length],
        ['visitor failures for known ids', failuresIn(visits)],
        ['what failures there were', failureWords(visits)],
        ['first good call after its end, ms', firstAfterMs(after, backNs)],
        ['calls in the minute after', after.length],
      ],
    };
  });
}
