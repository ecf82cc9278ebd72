import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metaSchema, pulseBodySchema, sourcesBodySchema } from './service-responses.ts';
import {
  activeSource,
  brokenPulseBodies,
  fullPulse,
  pulseBody,
  sourcesBody,
  unreadablePulseFields,
} from './examples.ts';

describe('metaSchema', () => {
  it('contains only the account ID, the email address, and the time with milliseconds', () => {
    assert.equal(metaSchema.safeParse(pulseBody.meta).success, true);
    const bad: unknown[] = [
      { ...pulseBody.meta, requestedAt: '2026-05-08T09:05:00Z' },
      { ...pulseBody.meta, account: { id: 'acc_1' } },
      { ...pulseBody.meta, account: { id: 'acc_1', email: 'no one' } },
      { ...pulseBody.meta, keyId: 'k' },
    ];
    for (const meta of bad) assert.equal(metaSchema.safeParse(meta).success, false, JSON.stringify(meta));
  });
});

describe('sourcesBodySchema', () => {
  it('accepts the example', () => {
    assert.deepEqual(sourcesBodySchema.parse(sourcesBody), sourcesBody);
  });

  it('accepts at most ten sources', () => {
    const withCount = (count: number) => ({
      ...sourcesBody,
      sources: Array.from({ length: count }, () => activeSource),
    });
    assert.equal(sourcesBodySchema.safeParse(withCount(10)).success, true);
    assert.equal(sourcesBodySchema.safeParse(withCount(11)).success, false);
  });
});

describe('pulseBodySchema', () => {
  it('accepts the example', () => {
    assert.deepEqual(pulseBodySchema.parse(pulseBody), pulseBody);
  });

  for (const [what, body] of Object.entries(brokenPulseBodies)) {
    it(`rejects ${what}`, () => assert.equal(pulseBodySchema.safeParse(body).success, false));
  }

  it('rejects every field that a client would read as null', () => {
    for (const [field, values] of Object.entries(unreadablePulseFields))
      for (const value of values) {
        const body = { ...pulseBody, pulse: { ...fullPulse, [field]: value } };
        assert.equal(pulseBodySchema.safeParse(body).success, false, `${field} ${String(value)}`);
      }
  });
});
