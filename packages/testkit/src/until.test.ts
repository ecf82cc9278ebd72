import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from './until.ts';

const QUICK = { withinMs: 20, everyMs: 1 };

describe('until()', () => {
  it('resolves to the first truthy value', async () => {
    const values = [0, '', 'ready'];
    assert.equal(await until('there is a value', () => values.shift()), 'ready');
    assert.deepEqual(values, []);
  });

  it('tries again after an error', async () => {
    const outcomes = [() => Promise.reject(new Error('refused')), () => Promise.resolve(true)];
    assert.equal(await until('it answers', () => outcomes.shift()?.()), true);
  });

  it('throws an error with what it waited for, the log lines, and the last error', async () => {
    const refused = new Error('refused');
    const fact = () => Promise.reject(refused);
    await assert.rejects(until('it answers', fact, { ...QUICK, lines: () => ['a line of the log'] }), {
      message: 'Waited 20 ms, but this didn’t happen: it answers\na line of the log',
      cause: refused,
    });
  });
});
