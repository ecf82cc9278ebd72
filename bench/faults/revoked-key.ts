import { BENCH_KEY } from '../upstream/recording-upstream.ts';
import { type Fault, failuresIn, failureWords, firstAfterMs, onStage, stretch } from './stage.ts';

const AUTH_STALE_MS = 60_000;
const REVOKED_MS = 150_000;
const AFTER_MS = 75_000;

/** The key is revoked, and works again later. */
export const revokedKey: Fault = () =>
  onStage({ PULSE_AUTH_STALE_MS: String(AUTH_STALE_MS) }, async ({ upstream, bff, visitsBetween, arrivalsBetween }) => {
    await upstream.acceptKeys([]);
    const [fromNs, staleNs] = await stretch(AUTH_STALE_MS);
    const ready = await fetch(`${bff.url}/readyz`);
    const readiness = `${ready.status} ${await ready.text()}`;
    const [, toNs] = await stretch(REVOKED_MS - AUTH_STALE_MS);
    await upstream.acceptKeys([BENCH_KEY]);
    const [backNs, endNs] = await stretch(AFTER_MS);
    const refusedCalls = await arrivalsBetween(fromNs, toNs);
    const firstRefusalNs = refusedCalls[0]?.atNs ?? staleNs;
    // The first refused call begins the time in which the last answers are still shown.
    const shownUntilNs = firstRefusalNs + AUTH_STALE_MS * 1e6;
    const later = visitsBetween(shownUntilNs + 2e9, toNs);
    const good = (await arrivalsBetween(backNs, endNs)).filter(({ status }) => status === 200);
    return {
      title: 'A revoked key',
      done: `The service refuses the key with 401 for ${REVOKED_MS / 1000} s, then accepts it again; \`PULSE_AUTH_STALE_MS\` is ${AUTH_STALE_MS} here (default 600000).`,
      facts: [
        ['calls while it was refused', refusedCalls.length],
        ['a minute', (refusedCalls.length * 60_000) / REVOKED_MS],
        ['`/readyz` after a minute', readiness],
        [
          `visitor failures in the first ${AUTH_STALE_MS / 1000} s from the first 401`,
          failuresIn(visitsBetween(fromNs, shownUntilNs - 1e9)),
        ],
        ['what visitors got after that', failureWords(later)],
        ['of so many views', later.views],
        ['first good call after it was accepted again, ms', firstAfterMs(good, backNs)],
      ],
    };
  });
