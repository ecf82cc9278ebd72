import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activeSource, bareSource, unsafeUrls } from './examples.ts';
import { readSourceSchema, SOURCE_STATUSES, sourceSchema } from './source.ts';

describe('sourceSchema', () => {
  it('accepts the examples', () => {
    for (const source of [activeSource, bareSource]) assert.deepEqual(sourceSchema.parse(source), source);
  });

  it('accepts only the five states in the spec', () => {
    assert.deepEqual(SOURCE_STATUSES, ['PENDING', 'DRAFT', 'ACTIVE', 'DEGRADED', 'BROKEN']);
    for (const status of SOURCE_STATUSES)
      assert.equal(sourceSchema.safeParse({ ...activeSource, status }).success, true);
    for (const status of ['active', 'PAUSED', null]) {
      assert.equal(sourceSchema.safeParse({ ...activeSource, status }).success, false, String(status));
    }
  });

  it('accepts any uppercase provider code', () => {
    for (const provider of ['GOOGLE', 'HUBSPOT', 'X2_Y']) {
      assert.equal(sourceSchema.safeParse({ ...activeSource, provider }).success, true, provider);
    }
    for (const provider of ['google', '', 'A B', '2X', 'Ä']) {
      assert.equal(sourceSchema.safeParse({ ...activeSource, provider }).success, false, provider);
    }
  });

  it('requires every field', () => {
    for (const field of Object.keys(activeSource)) {
      assert.equal(sourceSchema.safeParse({ ...activeSource, [field]: undefined }).success, false, field);
    }
  });

  it('accepts null only for name, organization name, and slug', () => {
    const nullable = Object.keys(activeSource).filter(
      (field) => sourceSchema.safeParse({ ...activeSource, [field]: null }).success,
    );
    assert.deepEqual(nullable, ['name', 'organizationName', 'organizationSlug']);
  });

  it('rejects unknown fields', () => {
    assert.equal(sourceSchema.safeParse({ ...activeSource, secret: 1 }).success, false);
  });

  it('accepts only a non-negative integer as the connection count', () => {
    for (const connectionCount of [-1, 1.5, '2', Number.NaN]) {
      assert.equal(
        sourceSchema.safeParse({ ...activeSource, connectionCount }).success,
        false,
        String(connectionCount),
      );
    }
  });
});

describe('readSourceSchema', () => {
  it('reads what the service sends', () => {
    for (const source of [activeSource, bareSource]) assert.deepEqual(readSourceSchema.parse(source), source);
  });

  it('drops fields that the spec doesn’t list', () => {
    assert.deepEqual(readSourceSchema.parse({ ...activeSource, account: { email: 'x@y.test' } }), activeSource);
  });

  it('accepts unknown states and provider codes', () => {
    const read = readSourceSchema.parse({ ...activeSource, status: 'PAUSED', provider: 'brand-new' });
    assert.deepEqual([read.status, read.provider], ['PAUSED', 'brand-new']);
  });

  it('requires only the ID and treats unreadable fields as null', () => {
    const { id, ...rest } = activeSource;
    const fields = Object.keys(rest);
    const allNull = { id, ...Object.fromEntries(fields.map((field) => [field, null])) };
    for (const value of [undefined, null, true, {}, [7]])
      assert.deepEqual(
        readSourceSchema.parse({ id, ...Object.fromEntries(fields.map((field) => [field, value])) }),
        allNull,
      );
  });

  for (const [field, value] of [
    ['connectionCount', '3'],
    ['connectionCount', 1.5],
    ['connectionCount', -1],
    ['provider', null],
    ['provider', ''],
    ['provider', 'a'.repeat(65)],
    ['status', 3],
    ['status', 'a'.repeat(65)],
    ['name', 12],
    ['link', 7],
    ['organizationId', {}],
  ] as const)
    it(`treats ${field} ${JSON.stringify(value).slice(0, 20)} as null and keeps the rest`, () => {
      assert.deepEqual(readSourceSchema.parse({ ...activeSource, [field]: value }), { ...activeSource, [field]: null });
    });

  it('drops a link that browsers shouldn’t open', () => {
    for (const [what, link] of Object.entries(unsafeUrls)) {
      assert.equal(readSourceSchema.parse({ ...activeSource, link }).link, null, what);
    }
  });

  it('rejects a source without a usable ID', () => {
    for (const id of [undefined, null, 7, '', 'src/1', 'a'.repeat(129)])
      assert.equal(readSourceSchema.safeParse({ ...activeSource, id }).success, false, String(id));
  });
});
