import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barePulse, fullPulse, unsafeUrls } from './examples.ts';
import { pulseSchema, readPulseSchema, readTime } from './pulse.ts';
import { TEXT_LIMITS } from './text.ts';

describe('pulseSchema', () => {
  it('takes the examples', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(pulseSchema.parse(pulse), pulse);
  });

  it('misses every field that is left out', () => {
    for (const field of Object.keys(fullPulse)) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, [field]: undefined }).success, false, field);
    }
  });

  it('takes null for the fields that the spec says may be null, and no others', () => {
    const refused = Object.keys(fullPulse).filter(
      (field) => !pulseSchema.safeParse({ ...fullPulse, [field]: null }).success,
    );
    assert.deepEqual(refused, ['jobRunId', 'sourceId', 'status', 'organizationId']);
  });

  it('knows no status but SUCCESS', () => {
    for (const status of ['FAILED', 'success', 'RUNNING', '']) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, status }).success, false, status);
    }
  });

  it('writes moments as UTC with milliseconds', () => {
    for (const completedAt of ['2026-05-08T09:00:12Z', '2026-05-08T09:00:12.000+00:00', '2026-05-08']) {
      assert.equal(pulseSchema.safeParse({ ...fullPulse, completedAt }).success, false, completedAt);
    }
  });

  it('refuses a field that the spec does not name', () => {
    assert.equal(pulseSchema.safeParse({ ...fullPulse, prompt: 'x' }).success, false);
  });
});

describe('readPulseSchema', () => {
  it('reads what the service writes', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(readPulseSchema.parse(pulse), pulse);
  });

  it('T-07: drops fields that the spec does not name', () => {
    assert.deepEqual(readPulseSchema.parse({ ...fullPulse, prompt: 'x', owner: { email: 'x@y.test' } }), fullPulse);
  });

  it('does without the fields that readers never see', () => {
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

  it('keeps no address that a browser should not be sent to', () => {
    for (const [what, url] of Object.entries(unsafeUrls)) {
      const read = readPulseSchema.parse({ ...fullPulse, imageUrl: url, deliveryLink: url });
      assert.equal(read.deliveryLink, null, what);
      const kept = what === 'plain http' ? url : 'about:invalid';
      assert.equal(read.imageUrl, kept, what);
    }
  });

  it('T-26: cuts text beyond all measure', () => {
    const read = readPulseSchema.parse({ ...fullPulse, aiSummaryLong: 'a'.repeat(1_000_000) });
    assert.equal(read.aiSummaryLong?.length, TEXT_LIMITS.summaryLong);
  });

  it('reads a moment with any offset', () => {
    const read = readPulseSchema.parse({ ...fullPulse, completedAt: '2026-05-08T11:00:12+02:00' });
    assert.equal(read.completedAt, '2026-05-08T09:00:12.000Z');
  });
});

describe('readTime', () => {
  it('reads any offset and keeps UTC with milliseconds', () => {
    assert.equal(readTime.parse('2026-05-08T11:00:12+02:00'), '2026-05-08T09:00:12.000Z');
    assert.equal(readTime.parse('2026-05-08T09:00:12.000Z'), '2026-05-08T09:00:12.000Z');
    assert.equal(readTime.parse(null), null);
  });

  it('refuses what is no moment', () => {
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
