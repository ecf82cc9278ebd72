import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startBffProcess } from '../testing/bff-process.ts';
import { startFakeService } from '../testing/fake-service.ts';
import type { StatusDocument } from './status.ts';

describe('The headline of the status', () => {
  it('is what readers get: behind a proxy that TRUST_PROXY does not name, it names TRUST_PROXY', async () => {
    await using service = await startFakeService();
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      PULSE_CLIENT_RATE: '5',
    });
    for (let reader = 1; reader <= 20; reader += 1) {
      const headers = { 'X-Forwarded-For': `203.0.113.${reader}` };
      await fetch(`${bff.url}/v1/sources/src_1/pulse`, { headers });
    }
    const { summary, outcomes } = (await (await fetch(`${bff.adminUrl}/status`)).json()) as StatusDocument;
    assert.deepEqual(outcomes, { total: 20, bad: { rate_limited: 15 } });
    assert.equal(summary.level, 'down');
    assert.match(summary.headline, /^75 % of the requests/);
    assert.match(summary.advice, /^Set TRUST_PROXY=1/);
  });
});
