import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BATCH_SIZE,
  EXPOSABLE_FIELDS,
  publicPulseSchema,
  publicSourceSchema,
  pulseAnswerSchema,
  pulseOutcomeSchema,
  pulsesAnswerSchema,
} from './bff-responses.ts';
import { fullPulse, pulseBody } from './examples.ts';

const meta = { requestedAt: '2026-05-08T09:05:00.000Z', stale: false };
const source = { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' };
const {
  deliveryLink: _link,
  organizationId: _id,
  organizationName: _name,
  organizationSlug: _slug,
  ...pulse
} = fullPulse;

describe('pulseAnswerSchema', () => {
  it('accepts the public fields', () => {
    assert.deepEqual(pulseAnswerSchema.parse({ meta, pulse, source }), { meta, pulse, source });
  });

  it('accepts the fields that an operator can expose', () => {
    assert.equal(publicPulseSchema.safeParse(fullPulse).success, true);
    const exposed = { link: null, connectionCount: 2 };
    assert.equal(publicSourceSchema.safeParse({ id: 'src_1', ...source, ...exposed }).success, true);
    assert.deepEqual(EXPOSABLE_FIELDS, ['link', 'deliveryLink', 'organization', 'connectionCount']);
  });

  it('has no field for the account', () => {
    const { account } = pulseBody.meta;
    assert.equal(pulseAnswerSchema.safeParse({ meta: { ...meta, account }, pulse, source }).success, false);
    assert.equal(pulseAnswerSchema.safeParse({ meta, pulse: { ...pulse, account }, source }).success, false);
    assert.equal(pulseAnswerSchema.safeParse({ meta, pulse, source: { ...source, account } }).success, false);
  });
});

describe('pulseOutcomeSchema', () => {
  it('accepts either a pulse or an error with a code, but not both', () => {
    const good = { sourceId: 'src_1', ok: true, meta, pulse, source };
    const bad = { sourceId: 'src_1', ok: false, error: 'No pulse found for this source', code: 'pulse_not_found' };
    assert.equal(pulseOutcomeSchema.safeParse(good).success, true);
    assert.equal(pulseOutcomeSchema.safeParse(bad).success, true);
    assert.equal(pulseOutcomeSchema.safeParse({ ...good, ...bad }).success, false);
    assert.equal(pulseOutcomeSchema.safeParse({ ...bad, ok: true }).success, false);
  });
});

describe('pulsesAnswerSchema', () => {
  it('accepts at most fifty results', () => {
    const outcome = { sourceId: 'src_1', ok: true, meta, pulse, source };
    const answerOf = (count: number) => ({ meta, pulses: Array.from({ length: count }, () => outcome) });
    assert.equal(pulsesAnswerSchema.safeParse(answerOf(BATCH_SIZE)).success, true);
    assert.equal(pulsesAnswerSchema.safeParse(answerOf(BATCH_SIZE + 1)).success, false);
  });
});
