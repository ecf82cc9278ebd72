import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeWithRedis, startInstances, until } from '../testing/instances.ts';
import { account } from '../testing/fake-service.ts';
import type { RedisServer } from '../testing/redis-server.ts';

const KEY = 'a-key-that-all-instances-share';

/** The names of all keys that end so. */
async function keysOf(redis: RedisServer, ending: string): Promise<string[]> {
  const reply = await redis.command('KEYS', `*${ending}`);
  return reply.split('\r\n').filter((line) => line.startsWith('pulse:'));
}

const POISON = [
  '<script>alert(1)</script>',
  '\u0000\u0001\u0002',
  '{}',
  '[]',
  'null',
  '{"signature":"AAAAAAAAAAAAAAAAAAAAAA","text":"{}"}',
  `{"signature":"","text":${JSON.stringify(JSON.stringify({ kind: 'pulse', subject: 'src_a', pulse: { poison: 1 } }))}}`,
  'poison'.repeat(50_000),
];

describeWithRedis('what somebody else wrote into Redis (T-30)', () => {
  it('reaches no reader, and no reader fails for it', async () => {
    await using instances = await startInstances(2, { variables: { PULSE_FRESH_MS: '300' } });
    await instances.read(0, 'src_a');
    await until('the answer in Redis', async () => (await keysOf(instances.redis, ':answer:src_a')).length === 1);
    const [key = ''] = await keysOf(instances.redis, ':answer:src_a');
    for (const poison of POISON) {
      await instances.redis.command('HSET', key, 'fencingToken', '999999999', 'body', poison);
      for (const instance of [0, 1]) {
        const { status, body } = await instances.read(instance, 'src_a');
        assert.equal(status, 200);
        assert.doesNotMatch(JSON.stringify(body), /poison|script/);
      }
    }
    await instances.redis.command('DEL', key);
    await instances.redis.command('LPUSH', key, 'another kind of value');
    for (const instance of [0, 1]) assert.equal((await instances.read(instance, 'src_a')).status, 200);
  });

  it('gives way to the next answer, whatever rank it claims', async () => {
    await using instances = await startInstances(2, { variables: { PULSE_FRESH_MS: '300' } });
    await instances.read(0, 'src_a');
    await until('the answer in Redis', async () => (await keysOf(instances.redis, ':answer:src_a')).length === 1);
    const [key = ''] = await keysOf(instances.redis, ':answer:src_a');
    await instances.redis.command('HSET', key, 'fencingToken', '9'.repeat(18), 'body', 'poison');
    await until('an answer in place of the poison', async () => {
      for (const instance of [0, 1]) assert.equal((await instances.read(instance, 'src_a')).status, 200);
      return (await instances.redis.command('HGET', key, 'body')).includes('signature');
    });
  });

  it('keeps nobody waiting who asks for the first time', async () => {
    await using instances = await startInstances(2, {
      variables: {
        PULSE_SOURCES: Array.from({ length: 9 }, (_, index) => `src_${index}`).join(','),
        PULSE_RATE_WINDOW_MS: '60000',
      },
    });
    const { redis } = instances;
    await instances.read(0, 'src_0');
    const names = (await redis.command('KEYS', 'pulse:*:answer:src_0')).split('\r\n');
    const name = names.find((line) => line.endsWith(':answer:src_0')) ?? assert.fail('no answer in Redis');
    const authentic = (await redis.command('HGET', name, 'body')).split('\r\n')[1] ?? '';
    const evil = JSON.stringify({
      signature: 'x'.repeat(22),
      text: JSON.stringify({ pulse: { aiSummaryShort: 'evil' } }),
    });
    const poisons: ((answer: string, backoff: string) => string[])[] = [
      (answer) => ['SET', answer, 'random bytes'],
      (answer) => ['LPUSH', answer, 'evil'],
      (answer) => ['HSET', answer, 'fencingToken', '9'.repeat(15), 'body', evil],
      (answer) => ['HSET', answer, 'fencingToken', '9'.repeat(15), 'body', authentic],
      (answer) => ['HSET', answer, 'fencingToken', 'evil', 'body', 'x'.repeat(1_000_000)],
      (answer) => ['HSET', answer, 'fencingToken', '9'.repeat(400)],
      (_, backoff) => ['SET', backoff, '{"code":"internal","detail":"evil"}'],
      (_, backoff) => ['LPUSH', backoff, 'evil'],
    ];
    for (const [index, poison] of poisons.entries()) {
      const answer = name.replace('src_0', `src_${index + 1}`);
      await redis.command(...poison(answer, answer.replace(':answer:', ':backoff:')));
      const { status, body } = await instances.read(1, `src_${index + 1}`);
      assert.equal(status, 200, `poison ${index}`);
      assert.doesNotMatch(JSON.stringify(body), /evil/);
    }
  });

  it('is not taken for another source’s answer, though an instance signed it', async () => {
    await using instances = await startInstances(1, { variables: { PULSE_FRESH_MS: '300' } });
    for (const id of ['src_a', 'src_b']) await instances.read(0, id);
    await until('both answers in Redis', async () => (await keysOf(instances.redis, ':answer:src_b')).length === 1);
    const [from = ''] = await keysOf(instances.redis, ':answer:src_a');
    const [to = ''] = await keysOf(instances.redis, ':answer:src_b');
    await instances.redis.command('COPY', from, to, 'REPLACE');
    for (let round = 0; round < 5; round += 1) {
      const { status, body } = await instances.read(0, 'src_b');
      assert.equal(status, 200);
      assert.equal((body['pulse'] as { sourceId: string }).sourceId, 'src_b');
    }
  });
});

describeWithRedis('what stands in Redis (T-01)', () => {
  it('holds neither the key of the service nor the account', async () => {
    await using instances = await startInstances(1);
    for (const id of ['src_a', 'src_b', 'nobody']) await instances.read(0, id);
    await until('an answer in Redis', async () => (await keysOf(instances.redis, ':answer:src_b')).length === 1);
    const names = await keysOf(instances.redis, '*');
    const texts = [names.join()];
    for (const name of names) texts.push(await instances.redis.command('DUMP', name));
    for (const secret of [KEY, account.email, account.id, Buffer.from(KEY).toString('base64').slice(0, 20)])
      assert.ok(!texts.join().includes(secret), secret);
  });
});
