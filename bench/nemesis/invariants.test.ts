import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Arrival } from '@pulse-card/testkit/service/fake-service';
import type { History, VisitorAnswer } from './history.ts';
import { INVARIANTS } from './invariants.ts';

const MS = 1_000_000;
const PATH = '/v1/sources/src_001/pulse';

const arrival = (atMs: number, more: Partial<Arrival> = {}): Arrival => ({
  atNs: atMs * MS,
  answeredAtNs: (atMs + 10) * MS,
  host: 'A',
  path: PATH,
  key: 'k',
  headers: {},
  status: 200,
  ...more,
});

const answer = (atMs: number, more: Partial<VisitorAnswer> = {}): VisitorAnswer => ({
  instance: 0,
  life: 0,
  sourceId: 'src_001',
  askedAtNs: atMs * MS,
  answeredAtNs: (atMs + 5) * MS,
  status: 200,
  leaked: false,
  ...more,
});

/** A few calls, and then twenty calls that are evenly spread over the last calm window. */
const steady = [25_000, 40_000, ...Array.from({ length: 20 }, (_, index) => 52_100 + index * 390)].map((atMs) =>
  arrival(atMs),
);

const good: History = {
  seed: 1,
  instances: 3,
  hasRedis: true,
  watched: ['src_001'],
  brokenSource: undefined,
  limit: 30,
  reserve: 6,
  windowMs: 8_000,
  freshMs: 1_000,
  deadlineMs: 1_500,
  fromNs: 0,
  calmFromNs: 20_000 * MS,
  toNs: 60_000 * MS,
  events: [],
  arrivals: steady,
  answers: [answer(100), answer(200)],
  stops: [{ instance: 0, tookMs: 1_800, exitCode: 0, left: [] }],
  blindAtNs: [],
  redisLeaked: false,
};

const limited = {
  atMs: 1_000,
  forMs: 8_000,
  degradedReason: { kind: 'upstream', host: 'both', fault: { kind: 'limited' } },
} as const;

const broken: Record<string, Partial<History>> = {
  I1: { arrivals: [...steady, ...Array.from({ length: 11 }, (_, index) => arrival(59_900 + index))] },
  I2: { arrivals: [...steady, arrival(100), arrival(105)] },
  I3: { answers: [answer(100, { version: 3 }), answer(200, { version: 2 })] },
  I4: { answers: [answer(100), answer(200, { status: 503 })] },
  I5: { events: [limited], arrivals: [...steady, arrival(1_100, { status: 429 }), arrival(4_000)] },
  I6: { answers: [answer(100, { leaked: true })] },
  I7: { arrivals: [] },
  I8: { answers: [answer(100, { ageSeconds: 9, requestedAtMs: 50_000, seenAtMs: 51_000 })] },
  L1: { watched: ['src_001', 'src_002'] },
  L2: { arrivals: steady.slice(2) },
  L3: { answers: [answer(100), answer(200, { status: 404 })] },
  L4: { watched: ['src_001', 'src_002', 'src_003'], brokenSource: 'src_001' },
  L5: { stops: [{ instance: 0, tookMs: 1_800, exitCode: 0, left: ['port 4020 is taken'] }] },
};

describe('INVARIANTS', () => {
  for (const [name, { says, broken: breaks }] of Object.entries(INVARIANTS)) {
    it(`${name} finds no violation in a good history: ${says}`, () => assert.deepEqual(breaks(good), []));

    it(`${name} finds a history that violates it`, () => assert.notDeepEqual(breaks({ ...good, ...broken[name] }), []));
  }

  it('I2 allows a second instance to repeat a killed instance’s call', () => {
    const events = [{ atMs: 50, forMs: 500, degradedReason: { kind: 'kill', instance: 0 } }] as const;
    const arrivals = [...steady, arrival(100, { answeredAtNs: 900 * MS }), arrival(600)];
    assert.deepEqual(INVARIANTS['I2']?.broken({ ...good, arrivals, events }), []);
  });

  it('I2 allows two instances to make the same call while one can’t see the other', () => {
    const arrivals = [...steady, arrival(100), arrival(105)];
    assert.deepEqual(INVARIANTS['I2']?.broken({ ...good, arrivals, blindAtNs: [500 * MS] }), []);
  });

  it('I4 ignores requests that were sent before the id was known', () => {
    const early = answer(100, { answeredAtNs: 900 * MS, status: 503 });
    assert.deepEqual(INVARIANTS['I4']?.broken({ ...good, answers: [early, answer(200)] }), []);
  });

  it('L1 ignores calm periods that are too short to judge', () => {
    const short = { ...good, ...broken['L1'], toNs: 40_000 * MS };
    assert.deepEqual(INVARIANTS['L1']?.broken(short), []);
  });

  it('L1 ignores the source that the service can never read', () => {
    assert.deepEqual(
      INVARIANTS['L1']?.broken({ ...good, watched: ['src_001', 'src_002'], brokenSource: 'src_002' }),
      [],
    );
  });
});
