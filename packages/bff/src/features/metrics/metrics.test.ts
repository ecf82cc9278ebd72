import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Metrics } from './metrics.ts';

describe('Metrics', () => {
  it('read the features’ gauges once per scrape', async () => {
    const read = mock.fn(() => []);
    const metrics = new Metrics(read);
    await metrics.text();
    await metrics.text();
    assert.equal(read.mock.callCount(), 2);
  });

  it('include the features’ gauges and counters, but no null values', async () => {
    const metrics = new Metrics(() => [
      { moods: ['Moods', 3], unknown: ['Unknown', null] },
      { sent_total: ['Messages', 2] },
    ]);
    await metrics.text();
    const text = await metrics.text();
    assert.match(text, /^# TYPE pulse_bff_moods gauge\npulse_bff_moods 3$/m);
    assert.match(text, /^# TYPE pulse_bff_sent_total counter\npulse_bff_sent_total 2$/m);
    assert.doesNotMatch(text, /^pulse_bff_unknown/m);
  });

  it('use _total only for counters, as promtool requires', async () => {
    const metrics = new Metrics(() => []);
    metrics.setVersion('1.2.3');
    metrics.watchProcess();
    const text = await metrics.text();
    assert.match(text, /^pulse_bff_build_info\{version="1.2.3",node="[\d.]+"\} 1$/m);
    const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => ({ name, type }));
    for (const { name, type } of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
  });
});
