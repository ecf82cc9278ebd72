import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, mock } from 'node:test';
import type { SourceSnapshot } from '../cache/port.ts';
import { type EventReader, openEvents } from '../testing/event-reader.ts';
import { cardWithPulse, FakeCache, hit } from '../testing/fake-cache.ts';
import { pulseOf } from '../testing/fake-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { SseHub } from './sse-hub.ts';

const MINUTE_MS = 60_000;

function snapshotOf(sourceId: string, run: string, summary = 'Up.'): SourceSnapshot {
  return { ...cardWithPulse, sourceId, pulse: pulseOf(sourceId, run, { aiSummaryShort: summary }) };
}

/** Streams over HTTP, on a clock that a test pushes; the path names the ids. */
interface OpenHubOptions {
  readonly max?: number;
  readonly random?: () => number;
  readonly onFault?: (fault: unknown) => void;
}

async function openHub({ random = () => 0, ...options }: OpenHubOptions = {}) {
  const [cache, clock] = [new FakeCache(), createVirtualClock()];
  const made: string[] = [];
  const takenBack = new Set<string>();
  const bodyOf = (snapshot: SourceSnapshot, stale: boolean): Buffer => {
    made.push(snapshot.sourceId);
    if (snapshot.requestedAtMs < 0) throw new Error('a fault inside');
    return Buffer.from(JSON.stringify({ meta: { stale }, pulse: snapshot.pulse }));
  };
  const live = new SseHub({ cache, clock, bodyOf, random, ...options });
  const server = createServer((request, response) => {
    const [, client = '', ids = '', lastsMs = 'Infinity'] = (request.url ?? '').split('/');
    const isRefused = live.refusalOf(client) !== undefined;
    response.writeHead(isRefused ? 503 : 200);
    const lastEventId = request.headers['last-event-id'] as string | undefined;
    const holds = (): boolean => !takenBack.has(client);
    if (isRefused) response.end();
    else live.join({ response, client, ids: ids.split(','), lastEventId, lastsMs: Number(lastsMs), holds });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    cache,
    clock,
    live,
    made,
    takenBack,
    server,
    open: (ids: string, lastEventId?: string, client = 'one'): Promise<EventReader> =>
      openEvents(`${url}/${client}/${ids}`, lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    async [Symbol.asyncDispose]() {
      live.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Waits until `fact` holds. */
async function until(fact: () => boolean): Promise<void> {
  for (let turn = 0; !fact(); turn += 1) {
    if (turn > 10_000) throw new Error(`Cannot go on: not true: ${String(fact)}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('SseHub (T-65)', () => {
  it('tells every reader of a source of its new pulse, and nobody else', async () => {
    await using opened = await openHub();
    const connections = await Promise.all([opened.open('src_1'), opened.open('src_1,src_2'), opened.open('src_2')]);
    opened.cache.renew(snapshotOf('src_1', 'run_new'));
    opened.cache.renew(snapshotOf('src_2', 'run_other'));
    const received = await Promise.all(connections.map((connection) => connection.nextPulse()));
    assert.deepEqual(
      received.map(({ jobRunId }) => jobRunId),
      ['run_new', 'run_new', 'run_other'],
    );
  });

  it('makes the body of an event once, however many are told, some at a time', async () => {
    await using opened = await openHub();
    const connections: Awaited<ReturnType<typeof opened.open>>[] = [];
    // In rounds: more connections at once than the listen backlog holds are reset.
    for (let round = 0; round < 12; round += 1) {
      const clients = Array.from({ length: 100 }, (_, at) => `c${(100 * round + at) % 60}`);
      connections.push(...(await Promise.all(clients.map((client) => opened.open('src_1', undefined, client)))));
    }
    assert.equal(opened.live.status().connections, 1_200);
    opened.cache.renew(snapshotOf('src_1', 'run_new'));
    await Promise.all(connections.map((connection) => connection.nextPulse()));
    assert.equal(opened.made.length, 1);
    assert.equal(opened.live.status().events, 1_200);
  });

  it('sends the events of a source in the order in which they came', async () => {
    await using opened = await openHub();
    const connection = await opened.open('src_1');
    for (const run of ['run_a', 'run_b', 'run_c']) opened.cache.renew(snapshotOf('src_1', run));
    const received = [await connection.nextPulse(), await connection.nextPulse(), await connection.nextPulse()];
    assert.deepEqual(
      received.map(({ jobRunId }) => jobRunId),
      ['run_a', 'run_b', 'run_c'],
    );
  });

  it('says nothing of a pulse that is gone', async () => {
    await using opened = await openHub();
    const connection = await opened.open('src_1');
    opened.cache.renew({ ...cardWithPulse, pulse: null });
    opened.cache.renew(snapshotOf('src_1', 'run_next'));
    assert.equal((await connection.nextPulse()).jobRunId, 'run_next');
  });

  describe('when a reader comes back', () => {
    it('sends at once what has changed meanwhile, and only that', async () => {
      await using opened = await openHub();
      opened.cache.peeks.set('src_1', hit(snapshotOf('src_1', 'run_1')));
      opened.cache.peeks.set('src_2', hit(snapshotOf('src_2', 'run_2')));
      const first = await opened.open('src_1,src_2');
      const { id } = (await first.next()) ?? {};
      await first.leave();
      opened.cache.renew(snapshotOf('src_2', 'run_3'));
      const again = await opened.open('src_1,src_2', id);
      assert.equal((await again.nextPulse()).jobRunId, 'run_3');
      opened.cache.renew(snapshotOf('src_1', 'run_4'));
      assert.equal((await again.nextPulse()).jobRunId, 'run_4');
    });

    it('sends nothing again to who was there to the last, though the process is another', async () => {
      await using opened = await openHub();
      const first = await opened.open('src_1');
      opened.cache.renew(snapshotOf('src_1', 'run_5'));
      const { id } = await first.nextPulse();
      await using other = await openHub();
      other.cache.peeks.set('src_1', hit(snapshotOf('src_1', 'run_5')));
      const again = await other.open('src_1', id);
      other.cache.renew(snapshotOf('src_1', 'run_6'));
      assert.equal((await again.nextPulse()).jobRunId, 'run_6');
    });

    it('lets who is cut off while it is caught up go on from there', async () => {
      await using opened = await openHub();
      for (const id of ['src_1', 'src_2', 'src_3']) opened.cache.peeks.set(id, hit(snapshotOf(id, `${id}_new`)));
      const first = await opened.open('src_1,src_2,src_3', 'src_2_new');
      const { id, jobRunId } = await first.nextPulse();
      assert.equal(jobRunId, 'src_1_new');
      await first.leave();
      const again = await opened.open('src_1,src_2,src_3', id);
      assert.equal((await again.nextPulse()).jobRunId, 'src_3_new');
    });

    it('catches up with more than a reader takes in at once, without cutting it', async () => {
      await using opened = await openHub();
      const ids = Array.from({ length: 50 }, (_, at) => `src_${at}`);
      // Far more than any socket holds.
      for (const id of ids) opened.cache.peeks.set(id, hit(snapshotOf(id, 'run_new', 'x'.repeat(400_000))));
      const connection = await opened.open(ids.join(','), 'something else');
      opened.cache.renew(snapshotOf('src_49', 'run_newer'));
      const runs: string[] = [];
      for (const _ of ids) runs.push((await connection.nextPulse()).jobRunId);
      assert.deepEqual(runs, [...Array.from({ length: 49 }, () => 'run_new'), 'run_newer']);
      assert.equal(opened.live.status().cut, 0);
    });
  });

  describe('when the key belongs to another account', () => {
    it('ends every stream, tells nothing more of the first, and starts anew with who comes back', async () => {
      await using opened = await openHub();
      opened.cache.renew(snapshotOf('src_1', 'run_of_a'));
      const connection = await opened.open('src_1');
      opened.cache.purge();
      assert.equal((await connection.next())?.event, undefined);
      assert.equal((await connection.next())?.event, 'bye');
      assert.equal(await connection.next(), undefined);
      opened.cache.renew(snapshotOf('src_1', 'run_of_b'));
      const back = await opened.open('src_1', 'run_of_a');
      assert.equal((await back.nextPulse()).jobRunId, 'run_of_b');
    });
  });

  describe('when the reader may see no more', () => {
    it('tells nothing new once the permit was taken back', async () => {
      await using opened = await openHub();
      const [connection, other] = [await opened.open('src_1', undefined, 'gone'), await opened.open('src_1')];
      await Promise.all([connection.next(), other.next()]);
      opened.takenBack.add('gone');
      opened.cache.renew(snapshotOf('src_1', 'run_secret'));
      assert.equal((await other.nextPulse()).jobRunId, 'run_secret');
      assert.equal((await connection.next())?.event, 'bye');
      assert.equal(await connection.next(), undefined);
    });

    it('tells nothing new once the permit has ended, before any round looks after it', async () => {
      await using opened = await openHub();
      const connection = await opened.open('src_1/500');
      await connection.next();
      await opened.clock.advance(500);
      opened.cache.renew(snapshotOf('src_1', 'run_secret'));
      assert.equal((await connection.next())?.event, 'bye');
      assert.equal(await connection.next(), undefined);
    });

    it('sends nothing of what was missed before', async () => {
      await using opened = await openHub();
      opened.takenBack.add('gone');
      opened.cache.peeks.set('src_1', hit(snapshotOf('src_1', 'run_secret')));
      const connection = await opened.open('src_1', 'run_old', 'gone');
      assert.equal((await connection.next())?.event, undefined);
      assert.equal((await connection.next())?.event, 'bye');
      assert.equal(await connection.next(), undefined);
    });

    it('ends the stream within a second', async () => {
      await using opened = await openHub();
      const connection = await opened.open('src_1', undefined, 'gone');
      await connection.next();
      opened.takenBack.add('gone');
      await opened.clock.advance(1_000);
      assert.equal((await connection.next())?.event, 'bye');
    });
  });

  it('goes on after a fault inside, of which it tells', async () => {
    const faults: unknown[] = [];
    await using opened = await openHub({ onFault: (fault) => faults.push(fault) });
    const connection = await opened.open('src_1');
    await connection.next();
    opened.cache.renew({ ...snapshotOf('src_1', 'run_faulty'), requestedAtMs: -1 });
    opened.cache.renew(snapshotOf('src_1', 'run_new'));
    assert.equal((await connection.nextPulse()).jobRunId, 'run_new');
    assert.equal(faults.length, 1);
    const watched = mock.method(opened.cache, 'setWatchers', () => assert.fail('a fault inside'));
    await assert.rejects(opened.clock.advance(60_000));
    watched.mock.restore();
    assert.ok(opened.clock.pending() > 0);
  });

  it('is demand for the planner as long as somebody reads', async () => {
    await using opened = await openHub();
    const [one, two] = await Promise.all([opened.open('src_1'), opened.open('src_1,src_2')]);
    assert.deepEqual([opened.cache.watchers.get('src_1'), opened.cache.watchers.get('src_2')], [2, 1]);
    await two.leave();
    await until(() => opened.cache.watchers.get('src_2') === 0);
    assert.equal(opened.cache.watchers.get('src_1'), 1);
    await one.leave();
    await until(() => opened.live.status().connections === 0);
    await opened.clock.advance(1_000);
    assert.equal(opened.clock.pending(), 0);
  });

  it('reminds the cache of who watches, which may know a source only now', async () => {
    await using opened = await openHub();
    await opened.open('src_1');
    opened.cache.watchers.clear();
    await opened.clock.advance(MINUTE_MS + 1_000);
    assert.equal(opened.cache.watchers.get('src_1'), 1);
  });

  it('shows every 15 to 25 seconds that it is alive', async () => {
    for (const [random, atMs] of [
      [0, 15_000],
      [0.999, 25_000],
    ] as const) {
      await using opened = await openHub({ random: () => random });
      const connection = await opened.open('src_1');
      await connection.next();
      await opened.clock.advance(atMs - 1_000);
      opened.cache.renew(snapshotOf('src_1', 'before'));
      await opened.clock.advance(1_000);
      assert.equal((await connection.next())?.event, 'pulse');
      assert.equal((await connection.next())?.comment, '');
    }
  });

  it('ends a stream when its reader may see no more', async () => {
    await using opened = await openHub({ random: () => 0.5 });
    const connection = await opened.open(`src_1/${2 * MINUTE_MS}`);
    await opened.clock.advance(2 * MINUTE_MS - 1_000);
    assert.equal(opened.live.status().connections, 1);
    await opened.clock.advance(2_000);
    assert.equal((await connection.next(({ event }) => event === 'bye'))?.event, 'bye');
  });

  it('ends a stream within half a minute when its reader may see no more before that was due, and no other', async () => {
    await using opened = await openHub({ random: () => 0.5 });
    const [connection] = await Promise.all([opened.open('src_1', undefined, 'taken'), opened.open('src_1')]);
    opened.takenBack.add('taken');
    await opened.clock.advance(30_000);
    assert.equal((await connection.next(({ event }) => event === 'bye'))?.event, 'bye');
    await until(() => opened.live.status().connections === 1);
  });

  it('ends a stream after half an hour or so, and says when to come back', async () => {
    await using opened = await openHub({ random: () => 0.5 });
    const connection = await opened.open('src_1');
    await opened.clock.advance(29 * MINUTE_MS);
    assert.equal(opened.live.status().connections, 1);
    await opened.clock.advance(MINUTE_MS);
    assert.deepEqual(await connection.next(({ event }) => event === 'bye'), {
      event: 'bye',
      retry: '6000',
      data: '{}',
    });
    assert.equal(await connection.next(), undefined);
    await until(() => opened.live.status().connections === 0);
  });

  it('has readers come back at different times', async () => {
    let count = 0;
    await using opened = await openHub({ random: () => (count++ % 100) / 100 });
    const connections = await Promise.all(
      Array.from({ length: 30 }, (_, at) => opened.open('src_1', undefined, `c${at}`)),
    );
    opened.live.close();
    const closingEvents = await Promise.all(
      connections.map((connection) => connection.next(({ event }) => event === 'bye')),
    );
    const waits = closingEvents.map((bye) => Number(bye?.retry));
    assert.ok(waits.every((ms) => ms >= 2_000 && ms <= 10_000));
    assert.ok(new Set(waits).size > 10);
  });

  describe('where a reader does not read', () => {
    it('cuts it when more than 64 KiB wait, and only it', async () => {
      await using opened = await openHub();
      const [idle, good] = await Promise.all([opened.open('src_1', undefined, 'slow'), opened.open('src_1')]);
      let sent = 0;
      // The system's own buffers take megabytes before anything has to wait.
      while (opened.live.status().connections === 2 && sent < 2_000) {
        opened.cache.renew(snapshotOf('src_1', `run_${sent}`, 'x'.repeat(50_000)));
        sent += 1;
        await good.nextPulse();
      }
      assert.equal(opened.live.status().connections, 1);
      assert.equal(opened.live.status().cut, 1);
      await assert.rejects(async () => {
        while (await idle.next());
      });
    });
  });

  describe('when there is no place', () => {
    it('refuses the twenty-first stream of one client, until one is given back', async () => {
      await using opened = await openHub();
      const connections = await Promise.all(Array.from({ length: 20 }, () => opened.open('src_1')));
      assert.equal((await opened.open('src_1')).response.status, 503);
      assert.equal((await opened.open('src_1', undefined, 'another')).response.status, 200);
      await connections[0]?.leave();
      await until(() => opened.live.status().connections === 20);
      assert.equal((await opened.open('src_1')).response.status, 200);
      assert.deepEqual(opened.live.status().refused, { client: 1, total: 0, stopping: 0 });
    });

    it('refuses everybody beyond the total', async () => {
      await using opened = await openHub({ max: 2 });
      await Promise.all([opened.open('src_1', undefined, 'a'), opened.open('src_1', undefined, 'b')]);
      assert.equal((await opened.open('src_1', undefined, 'c')).response.status, 503);
      assert.equal(opened.live.status().refused.total, 1);
    });

    it('asks those it refuses to come back at different times, within a minute', () => {
      for (const [random, seconds] of [
        [0, 15],
        [1, 60],
      ] as const) {
        const parts = { cache: new FakeCache(), clock: createVirtualClock(), bodyOf: () => Buffer.alloc(0) };
        const live = new SseHub({ ...parts, random: () => random, max: 0 });
        assert.equal(live.refusalOf('one')?.retryAfterSeconds, seconds);
      }
    });
  });

  it('takes nobody in once it is closed, and leaves no timer', async () => {
    const opened = await openHub();
    await opened.open('src_1');
    opened.live.close();
    assert.equal((await opened.open('src_1')).response.status, 503);
    assert.equal(opened.clock.pending(), 0);
    await opened[Symbol.asyncDispose]();
  });
});
