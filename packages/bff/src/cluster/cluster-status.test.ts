import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type ClusterStatus, logClusterChanges } from './cluster-status.ts';

const joined: ClusterStatus = {
  state: 'joined',
  fault: undefined,
  instances: 2,
  isLeader: true,
  share: 3,
  lostForMs: 0,
  losses: 0,
};

describe('logClusterChanges()', () => {
  for (const [fault, advice] of [
    ['disconnected', 'check that it runs and lets this server in (bind, protected mode, firewall)'],
    ['refused', 'check the user, the password and the database of the address'],
    ['timeout', 'check its load and the network to it'],
    ['read-only', 'check that it is the primary and can write to its disk'],
    ['full', 'raise its maxmemory'],
    ['loading', 'wait until it has loaded its data'],
    ['invalid-reply', 'check that a Redis or Valkey server is at the address'],
  ] as const) {
    it(`says what to do where Redis is lost: ${fault}`, () => {
      const said: string[] = [];
      const stop = logClusterChanges(
        createVirtualClock(),
        () => ({ ...joined, state: 'lost', fault }),
        (sentence) => said.push(sentence),
      );
      stop();
      assert.deepEqual(said, [
        `Redis is lost (REDIS_URL: ${fault}): ${advice}. What is known is served, and this instance makes 3 calls a window by itself`,
      ]);
    });
  }
});
