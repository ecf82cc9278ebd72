import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barePulse, fullPulse, unsafeUrls } from './examples.ts';
import { pulseSchema, readPulseSchema, readTime } from './pulse.ts';
import { TEXT_LIMITS } from './text.ts';

describe('pulseSchema', () => {
  it('accepts the examples', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(pulseSchema.parse(pulse), pulse);
  });

  it('requires every field', () => {
    for (const field of Object.keys(fullPulse)) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, [field]: undefined }).success, false, field);
    }
  });

  it('accepts null only for the fields that the spec allows', () => {
    const refused = Object.keys(fullPulse).filter(
      (field) => !pulseSchema.safeParse({ ...fullPulse, [field]: null }).success,
    );
    assert.deepEqual(refused, ['jobRunId', 'sourceId', 'status', 'organizationId']);
  });

  it('accepts only the status SUCCESS', () => {
    for (const status of ['FAILED', 'success', 'RUNNING', '']) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, status }).success, false, status);
    }
  });

  it('accepts only times in UTC with milliseconds', () => {
    for (const completedAt of ['2026-05-08T09:00:12Z', '2026-05-08T09:00:12.000+00:00', '2026-05-08']) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, completedAt }).success, false, completedAt);
    }
  });

  it('rejects unknown fields', () => {
    assert.equal(pulseSchema.safeParse({ ...fullPulse, prompt: 'x' }).success, false);
  });
});

describe('readPulseSchema', () => {
  it('reads what the service writes', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(readPulseSchema.parse(pulse), pulse);
  });

  it('T-07: drops fields that the spec doesn’t list', () => {
    assert.deepEqual(readPulseSchema.parse({ ...fullPulse, prompt: 'x', owner: { email: 'x@y.test' } }), fullPulse);
  });

  it('doesn’t require the fields that readers never see', () => {
    const {
      organizationId: _id,
      organizationName: _name,
      organizationSlug: _slug,
      deliveryLink: _link,
      ...seen
    } = fullPulse;
    const unseen = { organizationId: null, organizationName: null, organizationSlug: null, deliveryLink: null };
    assert.deepEqual(readPulseSchema.parse(seen), { ...seen, ...unseen });
  });

  it('drops addresses that browsers shouldn’t open', () => {
    for (const [what, url] of Object.entries(unsafeUrls)) {
      const read = readPulseSchema.parse({ ...fullPulse, imageUrl: url, deliveryLink: url });
      assert.equal(read.deliveryLink, null, what);
      const kept = what === 'plain http' ? url : 'about:invalid';
      assert.equal(read.imageUrl, kept, what);
    }
  });

  it('T-26: truncates extremely long texts', () => {
    const read = readPulseSchema.parse({ ...fullPulse, aiSummaryLong: 'a'.repeat(1_000_000) });
    assert.equal(read.aiSummaryLong?.length, TEXT_LIMITS.summaryLong);
  });

  it('reads a time with any offset', () => {
    const read = readPulseSchema.parse({ ...fullPulse, completedAt: '2026-05-08T11:00:12+02:00' });
    assert.equal(read.completedAt, '2026-05-08T09:00:12.000Z');
  });
});

describe('readTime', () => {
  it('reads any offset and returns UTC with milliseconds', () => {
    assert.equal(readTime.parse('2026-05-08T11:00:12+02:00'), '2026-05-08T09:00:12.000Z');
    assert.equal(readTime.parse('2026-05-08T09:00:12.000Z'), '2026-05-08T09:00:12.000Z');
    assert.equal(readTime.parse(null), null);
  });

  it('rejects values that aren’t times', () => {
    for (const bad of [
      'yesterday',
      '2026-05-08',
      '2026-02-30T00:00:00Z',
      '2026-05-08 09:00',
      '9999-12-31T23:59:59-01:00',
      '',
      1_778_230_812,
    ]) {
      assert.equal(readTime.safeParse(bad).success, false, String(bad));
    }
  });
});
