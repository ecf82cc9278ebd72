import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hosts } from './hosts.ts';

const READER = { isAwaited: true };
const PLAN = { isAwaited: false };

function openHosts(hasAlt: boolean): Hosts {
  return new Hosts({ hasAlt, callMs: 5_000 });
}

function fail(hosts: Hosts, host: 'main' | 'alt', at: number, times = 3): void {
  for (let failure = 0; failure < times; failure += 1) hosts.recordFailure(host, at);
}

describe('Hosts', () => {
  describe('with one host', () => {
    it('opens its circuit for 7.5 s after three consecutive failures', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0, 2);
      assert.equal(hosts.openForMs(0), 0);
      fail(hosts, 'main', 0, 1);
      assert.equal(hosts.openForMs(0), 7_500);
      assert.deepEqual(hosts.order(7_499, READER), []);
    });

    it('counts only failures since the last response', () => {
      const hosts = openHosts(false);
      for (let round = 0; round < 9; round += 1) {
        fail(hosts, 'main', round, 2);
        hosts.recordAnswer('main', round);
      }
      assert.equal(hosts.openForMs(9), 0);
    });

    it('allows one probe at a time, and opens the circuit again after a failed probe', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0);
      assert.deepEqual(hosts.order(7_500, READER), ['main']);
      hosts.recordAttempt('main', 7_500);
      assert.deepEqual(hosts.order(7_500, READER), []);
      hosts.recordFailure('main', 9_000);
      assert.equal(hosts.openForMs(9_000), 7_500);
    });
  });

  describe('with two hosts', () => {
    it('tries a half-open host with scheduled calls, but sends readers’ calls to the other host first', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(15_000, PLAN), ['main', 'alt']);
      assert.deepEqual(hosts.order(15_000, READER), ['alt', 'main']);
    });
  });
});
