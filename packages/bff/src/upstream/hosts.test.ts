import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hosts } from './hosts.ts';

const READER = { isUserFacing: true };
const PLAN = { isUserFacing: false };

function openHosts(hasAlt: boolean): Hosts {
  return new Hosts({ hasAlt, callMs: 5_000 });
}

function fail(hosts: Hosts, host: 'main' | 'alt', at: number, times = 3): void {
  for (let failure = 0; failure < times; failure += 1) hosts.recordFailure(host, at);
}

describe('Hosts', () => {
  it('gives the main host first, then the other', () => {
    assert.deepEqual(openHosts(true).order(0, READER), ['main', 'alt']);
    assert.deepEqual(openHosts(false).order(0, READER), ['main']);
  });

  it('leaves the first of two hosts three fifths of the time', () => {
    const hosts = openHosts(true);
    assert.deepEqual(
      [hosts.timeoutMs(5_000, { hasOther: true }), hosts.timeoutMs(5_000, { hasOther: false })],
      [3_000, 5_000],
    );
  });

  it('knows no third host', () => {
    assert.throws(() => openHosts(false).recordFailure('alt', 0), RangeError);
  });

  describe('with one host', () => {
    it('opens its circuit for 15 s after three failures in a row', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0, 2);
      assert.equal(hosts.openForMs(0), 0);
      fail(hosts, 'main', 0, 1);
      assert.equal(hosts.openForMs(0), 15_000);
      assert.deepEqual(hosts.order(14_999, READER), []);
    });

    it('counts failures from the last answer on', () => {
      const hosts = openHosts(false);
      for (let round = 0; round < 9; round += 1) {
        fail(hosts, 'main', round, 2);
        hosts.recordSuccess('main', round);
      }
      assert.equal(hosts.openForMs(9), 0);
    });

    it('lets one trial call through at a time, and opens again after a failed one', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0);
      assert.deepEqual(hosts.order(15_000, READER), ['main']);
      hosts.recordAttempt('main', 15_000);
      assert.deepEqual(hosts.order(15_000, READER), []);
      hosts.recordFailure('main', 16_000);
      assert.equal(hosts.openForMs(16_000), 15_000);
    });

    it('closes after one answer, and says that an outage has ended', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0);
      assert.equal(hosts.recordSuccess('main', 15_000), true);
      assert.equal(hosts.status(15_000)[0]?.state, 'closed');
      assert.equal(hosts.recordSuccess('main', 16_000), false);
    });
  });

  describe('with two hosts', () => {
    it('leaves the main host after one failure while the other has none', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(0, READER), ['alt']);
      assert.deepEqual(
        hosts.status(0).map(({ preferred }) => preferred),
        [false, true],
      );
    });

    it('tries a half-open host with calls that nobody waits for, and with readers last', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(15_000, PLAN), ['main', 'alt']);
      assert.deepEqual(hosts.order(15_000, READER), ['alt', 'main']);
    });

    it('goes back to the main host after one answer', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      hosts.recordSuccess('main', 15_000);
      assert.deepEqual(hosts.order(15_000, READER), ['main', 'alt']);
    });
  });
});
