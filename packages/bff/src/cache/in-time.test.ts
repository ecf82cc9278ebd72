import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { inTime } from './in-time.ts';

function flightOf(startedAt: number) {
  const { promise: landed, resolve: land } = Promise.withResolvers<string>();
  return { flight: { startedAt, left: Promise.resolve(), landed }, land };
}

describe('inTime()', () => {
  it('brings what lands in time, and leaves no timer', async () => {
    const clock = createVirtualClock();
    const { flight, land } = flightOf(clock.now());
    const landed = inTime(flight, { clock, upstreamTimeoutMs: 5_000 });
    land('here');
    assert.equal(await landed, 'here');
    await clock.advance(0);
    assert.equal(clock.pending(), 0);
  });

  it('waits the upstream’s deadline where there is nothing to read', async () => {
    const clock = createVirtualClock();
    const from = clock.now();
    const landed = inTime(flightOf(from).flight, { clock, upstreamTimeoutMs: 5_000 }).then(() => clock.now() - from);
    await clock.advance(10_000);
    assert.equal(await landed, 5_000);
  });

  it('waits half a second from the start of the flight where there is', async () => {
    const clock = createVirtualClock();
    const from = clock.now();
    const { flight } = flightOf(from - 300);
    const landed = inTime(flight, { clock, upstreamTimeoutMs: 5_000 }, 'stale').then(() => clock.now() - from);
    await clock.advance(10_000);
    assert.equal(await landed, 200);
  });

  it('does not wait for one that is older than that', async () => {
    const clock = createVirtualClock();
    const { flight } = flightOf(clock.now() - 900);
    const landed = inTime(flight, { clock, upstreamTimeoutMs: 5_000 }, 'stale');
    await clock.advance(0);
    assert.equal(await landed, undefined);
  });
});
