import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fullPulse } from '@pulse-card/contract/examples';
import {
  failureValueSchema,
  listValueSchema,
  MOST_MET,
  openedValue,
  pulseValueSchema,
  sealedValue,
} from './shared-value.ts';
import { Tenant } from './tenant.ts';

const tenantOf = (key: string): Tenant =>
  new Tenant({ derive: (purpose) => createHmac('sha256', key).update(purpose).digest() }, 'https://pulses.test');

const tenant = tenantOf('k');
const asked = { fence: 1, askedAtMs: 2, requestedAtMs: 3, account: null };
const value = { kind: 'pulse', subject: 'src_1', ...asked, pulse: fullPulse };
const open = (written: unknown, subject = 'src_1') =>
  openedValue(tenant, { schema: pulseValueSchema, subject, written });

describe('openedValue() (T-30)', () => {
  it('reads what an instance with the same key wrote', () => {
    assert.deepEqual(open(sealedValue(tenant, value)), value);
  });

  it('drops fields that nobody knows, and addresses where no browser should be sent', () => {
    const pulse = { ...fullPulse, email: 'a@b.test', imageUrl: 'javascript:alert(1)' };
    const opened = open(sealedValue(tenant, { ...value, pulse, owner: 'acc' }));
    assert.doesNotMatch(JSON.stringify(opened), /a@b\.test|javascript|acc"/);
  });

  const envelope = JSON.parse(sealedValue(tenant, value) ?? '') as { seal: string; text: string };
  const poison: Record<string, unknown> = {
    nothing: null,
    'a number': 7,
    'no JSON': '\x00\xff<script>',
    'a value without a seal': JSON.stringify(value),
    'another seal': JSON.stringify({ ...envelope, seal: 'A'.repeat(22) }),
    'the seal of another key': sealedValue(tenantOf('l'), value),
    'another text under the seal': JSON.stringify({ ...envelope, text: envelope.text.replace('src_1', 'src_2') }),
    'another version of it': sealedValue(tenant, { ...value, fence: 'x' }),
    'markup in place of a pulse': sealedValue(tenant, { ...value, pulse: '<img src=x onerror=alert(1)>' }),
    'a fence below zero': sealedValue(tenant, { ...value, fence: -1 }),
    'ten million letters': 'a'.repeat(10_000_000),
    'brackets without end': '['.repeat(200_000),
  };
  for (const [what, written] of Object.entries(poison)) {
    it(`takes ${what} for nothing`, () => assert.equal(open(written), undefined));
  }

  it('takes what was written about another source for nothing, though the seal is right', () => {
    assert.equal(open(sealedValue(tenant, value), 'src_2'), undefined);
  });

  it('takes any text for nothing, and never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => open(text) === undefined));
  });
});

describe('a failure that is shared (T-30)', () => {
  it('says nothing but words of ours', () => {
    const about = { kind: 'failure', subject: 'src_1', untilMs: 5 };
    const failure = { ...about, code: 'upstream_unavailable', detail: 'upstream-error' };
    const read = (each: object) =>
      openedValue(tenant, { schema: failureValueSchema, subject: 'src_1', written: sealedValue(tenant, each) });
    assert.deepEqual(read(failure), failure);
    assert.equal(read({ ...failure, detail: '<b>words</b>' }), undefined);
    assert.equal(read({ ...failure, code: 'made_up' }), undefined);
  });
});

describe('sealedValue()', () => {
  it('has room for the list with all the ids that go with it', () => {
    const met = Array.from({ length: MOST_MET }, (_, index) => String(index).padStart(128, 'x'));
    const list = {
      kind: 'list',
      subject: '*list',
      fence: 1,
      askedAtMs: 2,
      requestedAtMs: 3,
      account: null,
      rows: [],
      met,
    };
    const written = sealedValue(tenant, list);
    assert.deepEqual(openedValue(tenant, { schema: listValueSchema, subject: '*list', written })?.met, met);
  });

  it('writes nothing that is too long to be read', () => {
    assert.equal(sealedValue(tenant, { text: 'a'.repeat(2 * 1024 * 1024) }), undefined);
  });
});
