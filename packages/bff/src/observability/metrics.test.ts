import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { openCacheHarness } from '../testing/cache-harness.ts';
import { Metrics } from './metrics.ts';

describe('Metrics', () => {
  it('asks for the status once each time that they are read', async () => {
    await using harness = await openCacheHarness();
    const metrics = new Metrics();
    const status = mock.fn(() => harness.cache.status());
    metrics.watch({
      status,
      cluster: () => undefined,
      outcomes: () => ({ total: 4, bad: { internal: 1 } }),
      keyFile: () => ({ state: 'refused', takenOver: 1 }),
      alerts: {
        keyExpiry: () => ({ day: '2027-02-20', inDays: 15, isGuess: false }),
        status: () => ({ host: 'hooks.example.com', sent: 2, failure: 'it answered 500', retryInMs: 1_000 }),
      },
    });
    status.mock.resetCalls();
    const { text } = await metrics.text();
    assert.match(text, /^pulse_bff_sources 10$/m);
    assert.match(text, /^pulse_bff_ready 1$/m);
    assert.match(text, /^pulse_bff_key_expires_timestamp_seconds 1803081600$/m);
    assert.match(text, /^pulse_bff_alerts_sent_total 2$/m);
    assert.match(text, /^pulse_bff_key_file_usable 0$/m);
    assert.match(text, /^pulse_bff_readers_without_chart_ratio 0.25$/m);
    assert.match(text, /^pulse_bff_key_takeovers_total 1$/m);
    assert.match(text, /^pulse_bff_alerts_failing 1$/m);
    assert.equal(status.mock.callCount(), 1);
    await metrics.text();
    assert.equal(status.mock.callCount(), 2);
  });

  it('names counters, and nothing else, with _total, as promtool wants it', async () => {
    const metrics = new Metrics();
    metrics.setVersion('1.2.3');
    metrics.watchProcess();
    const { text } = await metrics.text();
    assert.match(text, /^pulse_bff_build_info\{version="1.2.3",node="[\d.]+"\} 1$/m);
    const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => ({ name, type }));
    for (const { name, type } of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
  });
});
