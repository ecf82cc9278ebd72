import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barePulse, fullPulse, unreadablePulseFields, unsafeUrls } from './examples.ts';
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
  it('reads what the service sends', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(readPulseSchema.parse(pulse), pulse);
  });

  it('T-07: drops fields that the spec doesn’t list', () => {
    assert.deepEqual(readPulseSchema.parse({ ...fullPulse, prompt: 'x', owner: { email: 'x@y.test' } }), fullPulse);
  });

  for (const [field, values] of Object.entries(unreadablePulseFields))
    it(`treats an unreadable ${field} as null and keeps the rest`, () => {
      for (const value of values)
        assert.deepEqual(readPulseSchema.parse({ ...fullPulse, [field]: value }), { ...fullPulse, [field]: null });
    });

  it('requires readable IDs and a successful run', () => {
    for (const field of ['jobRunId', 'sourceId', 'status'])
      for (const value of [undefined, null, 7, '', '.FAILED'])
        assert.equal(readPulseSchema.safeParse({ ...fullPulse, [field]: value }).success, false, `${field} ${value}`);
  });

  it('drops URLs that browsers shouldn’t open', () => {
    for (const [what, url] of Object.entries(unsafeUrls)) {
      const read = readPulseSchema.parse({ ...fullPulse, imageUrl: url, deliveryLink: url });
      assert.equal(read.deliveryLink, null, what);
      const kept = what === 'plain http' ? url : 'about:invalid';
      assert.equal(read.imageUrl, kept, what);
    }
  });

  it('T-26: truncates extremely long text', () => {
    const read = readPulseSchema.parse({ ...fullPulse, aiSummaryLong: 'a'.repeat(1_000_000) });
    assert.equal(read.aiSummaryLong?.length, TEXT_LIMITS.summaryLong);
  });
});

describe('readTime', () => {
  for (const [text, utc] of [
    ['2026-05-08T09:00:12.000Z', '2026-05-08T09:00:12.000Z'],
    ['2026-05-08T09:00:12Z', '2026-05-08T09:00:12.000Z'],
    ['2026-05-08T09:00Z', '2026-05-08T09:00:00.000Z'],
    ['2026-05-08T11:00:12+02:00', '2026-05-08T09:00:12.000Z'],
    ['2026-05-08T11:00:12+0200', '2026-05-08T09:00:12.000Z'],
    ['2026-05-08T14:30+0530', '2026-05-08T09:00:00.000Z'],
    ['2026-05-07T23:00-10', '2026-05-08T09:00:00.000Z'],
    ['2026-05-08T09:00:12.123456789Z', '2026-05-08T09:00:12.123Z'],
    ['2026-05-08T09:00:12,5Z', '2026-05-08T09:00:12.500Z'],
    ['2028-02-29T00:00:00-0000', '2028-02-29T00:00:00.000Z'],
  ] as const)
    it(`reads ${text}`, () => assert.equal(readTime.parse(text), utc));

  it('treats anything else as null', () => {
    const texts = ['yesterday', '2026-05-08', '2026-05-08T09:00', '2026-05-08 09:00Z', '20260508T090012Z', '', ' '];
    const impossible = ['2026-02-30T00:00:00Z', '2026-05-08T25:00Z', '2026-05-08T09:60Z', '2026-05-08T09:00+25:00'];
    const outside = ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00', '+010000-01-01T00:00:00Z'];
    const free = ['8 May 2026 09:00 GMT', 'Fri, 08 May 2026 09:00:00 GMT', '2026-05-08T09:00Z(noon)', '1778230812'];
    for (const value of [...texts, ...impossible, ...outside, ...free, 1_778_230_812, null, undefined, {}, []])
      assert.equal(readTime.parse(value), null, JSON.stringify(value));
  });
});
