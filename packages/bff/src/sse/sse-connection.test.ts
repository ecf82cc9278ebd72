import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { HEARTBEAT, SseConnection } from './sse-connection.ts';

/** A response whose client takes what a test lets it take. */
class HeldResponse extends EventEmitter {
  written: string[] = [];
  writableLength = 0;
  writableNeedDrain = false;
  writableEnded = false;
  destroyed = false;

  write(bytes: Buffer): void {
    this.written.push(bytes.toString());
    this.writableLength += bytes.length;
    this.writableNeedDrain = this.writableLength >= 16_384;
  }

  end(bytes: Buffer): void {
    this.write(bytes);
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** The client takes all that waits. */
  take(): void {
    this.writableLength = 0;
    this.writableNeedDrain = false;
    this.emit('drain');
  }
}

function openConnection() {
  const response = new HeldResponse();
  const cuts: string[] = [];
  const connection = new SseConnection(response as unknown as ServerResponse, {
    client: 'one',
    times: { heartbeatAt: 0, endsAt: 0 },
    holds: () => true,
    onCut: () => void cuts.push('cut'),
  });
  return { response, connection, cuts };
}

const big = (bytes: number) => Buffer.alloc(bytes, 'x');

describe('SseConnection', () => {
  it('lets 64 KiB and one event wait, and cuts at the next', () => {
    const { response, connection, cuts } = openConnection();
    assert.equal(connection.send('a', big(64 * 1_024)), true);
    assert.equal(connection.send('a', big(30_000)), true);
    assert.equal(connection.send('a', big(1)), false);
    assert.deepEqual([response.destroyed, cuts, response.written.length], [true, ['cut'], 2]);
    assert.equal(connection.send('a', big(1)), false);
    assert.deepEqual(cuts, ['cut']);
  });

  it('never cuts who takes what comes', () => {
    const { response, connection, cuts } = openConnection();
    for (let at = 0; at < 100; at += 1) {
      connection.send('a', big(60_000));
      connection.heartbeat();
      response.take();
    }
    assert.deepEqual(cuts, []);
  });

  it('cuts who took nothing between two signs of life, however little waits', () => {
    const { response, connection, cuts } = openConnection();
    connection.heartbeat();
    assert.deepEqual(response.written, [HEARTBEAT.toString()]);
    connection.heartbeat();
    assert.deepEqual([response.destroyed, cuts], [true, ['cut']]);
  });

  it('catches up as fast as the reader reads, the latest of each source once', () => {
    const { response, connection, cuts } = openConnection();
    const made: string[] = [];
    connection.begin(Buffer.from('hello'), ['a', 'b', 'c'], (sourceId) => {
      made.push(sourceId);
      return big(20_000);
    });
    assert.deepEqual(made, ['a']);
    assert.equal(connection.send('a', big(1)), false);
    assert.equal(connection.send('c', big(1)), false);
    for (let at = 0; at < 5; at += 1) response.take();
    assert.deepEqual(made, ['a', 'b', 'c', 'a']);
    assert.equal(connection.send('a', big(1)), true);
    assert.deepEqual(cuts, []);
  });

  it('says good-bye once, and nothing after', () => {
    const { response, connection } = openConnection();
    connection.end(Buffer.from('bye'));
    connection.end(Buffer.from('bye'));
    assert.equal(connection.send('a', big(1)), false);
    assert.deepEqual(response.written, ['bye']);
  });
});
