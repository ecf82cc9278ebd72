import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SingleFlight, withTimeout } from './single-flight.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

describe('SingleFlight', () => {
  it('launches once for all who want the same thing', async () => {
    const singleFlight = new SingleFlight<string>(String);
    let launches = 0;
    const start = async () => `settled ${++launches}`;
    const joined = [
      singleFlight.join('a', { now: 0 }, start),
      singleFlight.join('a', { now: 5 }, start),
      singleFlight.join('b', { now: 5 }, start),
    ];
    assert.deepEqual(
      joined.map(({ isNew }) => isNew),
      [true, false, true],
    );
    assert.deepEqual(await Promise.all(joined.map(({ flight }) => flight.result)), [
      'settled 1',
      'settled 1',
      'settled 2',
    ]);
  });

  it('settles those who wait where the launch fails, and hands the fault on', async () => {
    const faults: unknown[] = [];
    const singleFlight = new SingleFlight<string>((fault) => {
      faults.push(fault);
      return 'recovered';
    });
    const fault = new Error('a fault inside');
    const { flight } = singleFlight.join('a', { now: 0 }, () => Promise.reject(fault));
    await flight.sent;
    assert.equal(await flight.result, 'recovered');
    assert.deepEqual(faults, [fault]);
    assert.equal(singleFlight.size, 0);
  });

  it('launches anew once the one before has settled', async () => {
    const singleFlight = new SingleFlight<number>(Number);
    await singleFlight.join('a', { now: 0 }, async () => 1).flight.result;
    assert.equal(singleFlight.size, 0);
    assert.equal(singleFlight.join('a', { now: 0 }, async () => 2).isNew, true);
  });

  it('tells a flight that was begun by plan of a reader who joins it with nothing else to read', async () => {
    const singleFlight = new SingleFlight<boolean[]>(() => []);
    const { promise: joined, resolve: joins } = Promise.withResolvers<void>();
    const { result } = singleFlight.join('a', { now: 0 }, async ({ isUserFacing }) => {
      const atFirst = isUserFacing();
      await joined;
      return [atFirst, isUserFacing()];
    }).flight;
    singleFlight.join('a', { now: 1, isUserFacing: true }, async () => []);
    singleFlight.join('a', { now: 2 }, async () => []);
    joins();
    assert.deepEqual(await result, [false, true]);
  });

  it('tells when a call leaves, and at the latest when it is plain that none will', async () => {
    const singleFlight = new SingleFlight<number>(Number);
    const { promise, resolve } = Promise.withResolvers<number>();
    const leaving = singleFlight.join('a', { now: 0 }, ({ onSent }) => {
      onSent();
      return promise;
    });
    await leaving.flight.sent;
    assert.equal(singleFlight.get('a'), leaving.flight);
    await singleFlight.join('b', { now: 0 }, async () => 1).flight.sent;
    resolve(1);
    await singleFlight.allSettled();
  });
});

function flightOf(startedAt: number) {
  const { promise: result, resolve: settle } = Promise.withResolvers<string>();
  return { flight: { startedAt, sent: Promise.resolve(), result }, settle };
}

describe('withTimeout()', () => {
  it('brings what settles in time, and leaves no timer', async () => {
    const clock = createVirtualClock();
    const { flight, settle } = flightOf(clock.now());
    const result = withTimeout(flight, { clock, upstreamTimeoutMs: 5_000 });
    settle('here');
    assert.equal(await result, 'here');
    await clock.advance(0);
    assert.equal(clock.pending(), 0);
  });

  it('waits the upstream’s deadline where there is nothing to read', async () => {
    const clock = createVirtualClock();
    const from = clock.now();
    const result = withTimeout(flightOf(from).flight, { clock, upstreamTimeoutMs: 5_000 }).then(
      () => clock.now() - from,
    );
    await clock.advance(10_000);
    assert.equal(await result, 5_000);
  });

  it('waits half a second from the start of the flight where there is', async () => {
    const clock = createVirtualClock();
    const from = clock.now();
    const { flight } = flightOf(from - 300);
    const result = withTimeout(flight, { clock, upstreamTimeoutMs: 5_000 }, 'stale').then(() => clock.now() - from);
    await clock.advance(10_000);
    assert.equal(await result, 200);
  });

  it('does not wait for one that is older than that', async () => {
    const clock = createVirtualClock();
    const { flight } = flightOf(clock.now() - 900);
    const result = withTimeout(flight, { clock, upstreamTimeoutMs: 5_000 }, 'stale');
    await clock.advance(0);
    assert.equal(await result, undefined);
  });
});
