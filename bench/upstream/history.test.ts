import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Arrival, HostName } from './arrival.ts';
import { arrivalsBetween, hostSwitches, meanPerWindow, maxInWindow } from './history.ts';

const arrival = (atNs: number, host: HostName = 'A'): Arrival => ({
  atNs,
  host,
  path: '/v1/sources',
  keyHash: undefined,
  status: 200,
});

describe('maxInWindow()', () => {
  it('is nothing where nothing came', () => {
    assert.equal(maxInWindow([], 60), 0);
  });

  it('takes the beginning of the window in and leaves its end out', () => {
    assert.equal(maxInWindow([0, 59], 60), 2);
    assert.equal(maxInWindow([0, 60], 60), 1);
  });

  it('finds a rush that spans two calendar windows', () => {
    assert.equal(maxInWindow([1, 55, 58, 61, 64, 130], 60), 4);
  });

  it('does not mind the order', () => {
    assert.equal(maxInWindow([64, 1, 61, 130, 55, 58], 60), 4);
  });

  it('counts moments that coincide one by one', () => {
    assert.equal(maxInWindow([5, 5, 5], 1), 3);
  });

  it('agrees with a count of each window that begins at a moment', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 200 }), (all, window) => {
        const counts = all.map((from) => all.filter((at) => at >= from && at < from + window).length);
        assert.equal(maxInWindow(all, window), Math.max(...counts));
      }),
    );
  });
});

describe('arrivalsBetween()', () => {
  it('takes the first moment in and leaves the last out', () => {
    assert.deepEqual(arrivalsBetween([arrival(1), arrival(2), arrival(3)], 1, 3), [arrival(1), arrival(2)]);
  });
});

describe('meanPerWindow()', () => {
  it('scales the count of the time observed to a window', () => {
    assert.equal(meanPerWindow([arrival(0), arrival(10), arrival(20), arrival(30)], 0, 40, 10), 1);
  });
});

describe('hostSwitches()', () => {
  const switchesIn = (hosts: string) => hostSwitches(hosts.split('').map((host, at) => arrival(at, host as HostName)));

  it('is none while one host takes the calls', () => {
    assert.equal(switchesIn('AAAA'), 0);
    assert.equal(switchesIn(''), 0);
  });

  it('counts the way there and the way back', () => {
    assert.equal(switchesIn('AABBBAA'), 2);
  });

  it('takes a lone call at the other host for a probe', () => {
    assert.equal(switchesIn('AABAABAA'), 0);
  });

  it('counts nothing while the hosts take turns', () => {
    assert.equal(switchesIn('ABABAB'), 0);
  });
});
