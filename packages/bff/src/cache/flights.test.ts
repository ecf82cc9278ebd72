import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Flights } from './flights.ts';

describe('Flights', () => {
  it('launches once for all who want the same thing', async () => {
    const flights = new Flights<string>(String);
    let launches = 0;
    const launch = async () => `landed ${++launches}`;
    const joined = [
      flights.join('a', { now: 0 }, launch),
      flights.join('a', { now: 5 }, launch),
      flights.join('b', { now: 5 }, launch),
    ];
    assert.deepEqual(
      joined.map(({ isNew }) => isNew),
      [true, false, true],
    );
    assert.deepEqual(await Promise.all(joined.map(({ flight }) => flight.landed)), [
      'landed 1',
      'landed 1',
      'landed 2',
    ]);
  });

  it('lands those who wait where the launch fails, and hands the fault on', async () => {
    const faults: unknown[] = [];
    const flights = new Flights<string>((fault) => {
      faults.push(fault);
      return 'recovered';
    });
    const fault = new Error('a fault inside');
    const { flight } = flights.join('a', { now: 0 }, () => Promise.reject(fault));
    await flight.left;
    assert.equal(await flight.landed, 'recovered');
    assert.deepEqual(faults, [fault]);
    assert.equal(flights.size, 0);
  });

  it('launches anew once the one before has landed', async () => {
    const flights = new Flights<number>(Number);
    await flights.join('a', { now: 0 }, async () => 1).flight.landed;
    assert.equal(flights.size, 0);
    assert.equal(flights.join('a', { now: 0 }, async () => 2).isNew, true);
  });

  it('tells a flight that was begun by plan of a reader who joins it with nothing else to read', async () => {
    const flights = new Flights<boolean[]>(() => []);
    const { promise: joined, resolve: joins } = Promise.withResolvers<void>();
    const { landed } = flights.join('a', { now: 0 }, async ({ readerWaits }) => {
      const atFirst = readerWaits();
      await joined;
      return [atFirst, readerWaits()];
    }).flight;
    flights.join('a', { now: 1, readerWaits: true }, async () => []);
    flights.join('a', { now: 2 }, async () => []);
    joins();
    assert.deepEqual(await landed, [false, true]);
  });

  it('tells when a call leaves, and at the latest when it is plain that none will', async () => {
    const flights = new Flights<number>(Number);
    const { promise, resolve } = Promise.withResolvers<number>();
    const leaving = flights.join('a', { now: 0 }, ({ leaves }) => {
      leaves();
      return promise;
    });
    await leaving.flight.left;
    assert.equal(flights.get('a'), leaving.flight);
    await flights.join('b', { now: 0 }, async () => 1).flight.left;
    resolve(1);
    await flights.allLanded();
  });
});
