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

    it('ends an outage with the first response, not when a probe is due', () => {
      const hosts = openHosts(false);
      assert.equal(hosts.areAllDown(), false);
      fail(hosts, 'main', 0);
      assert.equal(hosts.areAllDown(), true);
      assert.equal(hosts.openForMs(7_500), 0);
      assert.equal(hosts.areAllDown(), true);
      assert.equal(hosts.recordAnswer('main', 7_600), true);
      assert.equal(hosts.areAllDown(), false);
      assert.equal(hosts.recordAnswer('main', 7_700), false);
    });

    it('keeps a closed circuit closed while calls are under way', () => {
      const hosts = openHosts(false);
      hosts.recordAttempt('main', 0);
      assert.deepEqual(hosts.order(0, READER), ['main']);
    });

    it('reports its state, its failures, its last response, and the wait before a probe', () => {
      const hosts = openHosts(false);
      const reported = (now: number) => {
        const [status] = hosts.status(now);
        return [status?.state, status?.consecutiveFailures, status?.lastAnswerAt, status?.openForMs, status?.failure];
      };
      assert.deepEqual(reported(0), ['closed', 0, undefined, 0, null]);
      hosts.recordAnswer('main', 1_000);
      hosts.recordFailure('main', 2_000, { kind: 'timed-out' });
      assert.deepEqual(reported(2_000), ['degraded', 1, 1_000, 0, { kind: 'timed-out' }]);
      fail(hosts, 'main', 3_000, 2);
      assert.deepEqual(reported(4_000), ['open', 3, 1_000, 6_500, null]);
      assert.deepEqual(reported(10_500), ['half-open', 3, 1_000, 0, null]);
      assert.deepEqual(reported(11_000), ['half-open', 3, 1_000, 0, null]);
      hosts.recordAnswer('main', 12_000);
      assert.deepEqual(reported(12_000), ['closed', 0, 12_000, 0, null]);
    });
  });

  describe('with two hosts', () => {
    it('opens a circuit for 15 s after one failure if the other host works', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(14_999, PLAN), ['alt']);
      assert.equal(hosts.openForMs(0), 0);
    });

    it('opens the circuit of the second host only after three failures', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      fail(hosts, 'alt', 1_000, 2);
      assert.deepEqual(hosts.order(1_000, READER), ['alt']);
      assert.equal(hosts.areAllDown(), false);
      fail(hosts, 'alt', 2_000, 1);
      assert.deepEqual(hosts.order(2_000, READER), []);
      assert.equal(hosts.areAllDown(), true);
      assert.equal(hosts.openForMs(2_000), 7_500);
    });

    it('reports the wait before the first of two probes', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      fail(hosts, 'alt', 14_000, 3);
      assert.equal(hosts.openForMs(14_000), 1_000);
    });

    it('needs three failures to open a circuit if the other host has failed, too', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      fail(hosts, 'alt', 1_000, 1);
      hosts.recordAnswer('main', 15_000);
      fail(hosts, 'main', 16_000, 2);
      assert.deepEqual(hosts.order(16_000, READER), ['main', 'alt']);
    });

    it('opens a circuit again after one failed probe, even if the other host has failed', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      fail(hosts, 'alt', 1_000, 1);
      fail(hosts, 'main', 15_000, 1);
      assert.deepEqual(hosts.order(29_999, PLAN), ['alt']);
      assert.deepEqual(hosts.order(30_000, PLAN), ['main', 'alt']);
    });

    it('is healthy until the host for readers’ calls fails', () => {
      const hosts = openHosts(true);
      assert.ok(hosts.isHealthy(0));
      fail(hosts, 'main', 0, 1);
      assert.ok(hosts.isHealthy(0));
      assert.ok(hosts.isHealthy(15_000), 'readers’ calls don’t go to the half-open host');
      fail(hosts, 'alt', 15_000, 1);
      assert.ok(!hosts.isHealthy(15_000));
      fail(hosts, 'alt', 15_000, 2);
      assert.ok(!hosts.isHealthy(15_000), 'only a half-open host is left');
      fail(hosts, 'main', 15_000, 1);
      assert.ok(!hosts.isHealthy(15_000), 'no call is possible');
    });

    it('prefers the main host, unless only the other host works', () => {
      const hosts = openHosts(true);
      const preferred = () =>
        hosts.status(0).flatMap(({ host, preferred: isPreferred }) => (isPreferred ? [host] : []));
      assert.deepEqual(preferred(), ['main']);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(preferred(), ['alt']);
      fail(hosts, 'alt', 0, 3);
      assert.deepEqual(preferred(), ['main']);
    });

    it('probes a half-open host with scheduled calls, not with readers’ calls', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(15_000, PLAN), ['main', 'alt']);
      assert.deepEqual(hosts.order(15_000, READER), ['alt', 'main']);
    });
  });
});
