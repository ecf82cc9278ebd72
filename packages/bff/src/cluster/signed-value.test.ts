import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fullPulse } from '@pulse-card/contract/examples';
import {
  failureValueSchema,
  listValueSchema,
  MAX_SHARED_DISCOVERED,
  verifiedValue,
  pulseValueSchema,
  signedValue,
} from './signed-value.ts';
import { KeyNamespace } from './key-namespace.ts';

const namespaceOf = (key: string): KeyNamespace =>
  new KeyNamespace({ derive: (purpose) => createHmac('sha256', key).update(purpose).digest() }, 'https://pulses.test');

const namespace = namespaceOf('k');
const info = { fencingToken: 1, sharedRequestedAtMs: 2, requestedAtMs: 3, account: null };
const value = { kind: 'pulse', subject: 'src_1', ...info, pulse: fullPulse };
const open = (written: unknown, subject = 'src_1') =>
  verifiedValue(namespace, { schema: pulseValueSchema, subject, written });

describe('verifiedValue() (T-30)', () => {
  it('reads what an instance with the same key wrote', () => {
    assert.deepEqual(open(signedValue(namespace, value)), value);
  });

  it('drops fields that nobody knows, and addresses where no browser should be sent', () => {
    const pulse = { ...fullPulse, email: 'a@b.test', imageUrl: 'javascript:alert(1)' };
    const opened = open(signedValue(namespace, { ...value, pulse, owner: 'acc' }));
    assert.doesNotMatch(JSON.stringify(opened), /a@b\.test|javascript|acc"/);
  });

  const envelope = JSON.parse(signedValue(namespace, value) ?? '') as { signature: string; text: string };
  const poison: Record<string, unknown> = {
    nothing: null,
    'a number': 7,
    'no JSON': '\x00\xff<script>',
    'a value without a signature': JSON.stringify(value),
    'another signature': JSON.stringify({ ...envelope, signature: 'A'.repeat(22) }),
    'the signature of another key': signedValue(namespaceOf('l'), value),
    'another text under the signature': JSON.stringify({ ...envelope, text: envelope.text.replace('src_1', 'src_2') }),
    'another version of it': signedValue(namespace, { ...value, fencingToken: 'x' }),
    'markup in place of a pulse': signedValue(namespace, { ...value, pulse: '<img src=x onerror=alert(1)>' }),
    'a fencing token below zero': signedValue(namespace, { ...value, fencingToken: -1 }),
    'ten million letters': 'a'.repeat(10_000_000),
    'brackets without end': '['.repeat(200_000),
  };
  for (const [what, written] of Object.entries(poison)) {
    it(`takes ${what} for nothing`, () => assert.equal(open(written), undefined));
  }

  it('takes what was written about another source for nothing, though the signature is right', () => {
    assert.equal(open(signedValue(namespace, value), 'src_2'), undefined);
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
      verifiedValue(namespace, { schema: failureValueSchema, subject: 'src_1', written: signedValue(namespace, each) });
    assert.deepEqual(read(failure), failure);
    assert.equal(read({ ...failure, detail: '<b>words</b>' }), undefined);
    assert.equal(read({ ...failure, code: 'made_up' }), undefined);
  });
});

describe('signedValue()', () => {
  it('has room for the list with all the ids that go with it', () => {
    const discovered = Array.from({ length: MAX_SHARED_DISCOVERED }, (_, index) => String(index).padStart(128, 'x'));
    const list = {
      kind: 'list',
      subject: '*list',
      fencingToken: 1,
      sharedRequestedAtMs: 2,
      requestedAtMs: 3,
      account: null,
      rows: [],
      discovered,
    };
    const written = signedValue(namespace, list);
    assert.deepEqual(
      verifiedValue(namespace, { schema: listValueSchema, subject: '*list', written })?.discovered,
      discovered,
    );
  });

  it('writes nothing that is too long to be read', () => {
    assert.equal(signedValue(namespace, { text: 'a'.repeat(2 * 1024 * 1024) }), undefined);
  });
});
