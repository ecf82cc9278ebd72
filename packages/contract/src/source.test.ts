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

  it('accepts any provider code in upper case', () => {
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

  it('accepts only whole numbers from zero as the number of connections', () => {
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
  it('reads what the service writes', () => {
    for (const source of [activeSource, bareSource]) assert.deepEqual(readSourceSchema.parse(source), source);
  });

  it('drops fields that the spec doesn’t list', () => {
    assert.deepEqual(readSourceSchema.parse({ ...activeSource, account: { email: 'x@y.test' } }), activeSource);
  });

  it('accepts unknown states and provider codes', () => {
    const read = readSourceSchema.parse({ ...activeSource, status: 'PAUSED', provider: 'brand-new' });
    assert.deepEqual([read.status, read.provider], ['PAUSED', 'brand-new']);
  });

  it('doesn’t require the fields that only the dashboard needs', () => {
    const { id, name, provider, status } = activeSource;
    const read = readSourceSchema.parse({ id, name, provider, status });
    assert.deepEqual(read, {
      id,
      name,
      provider,
      status,
      link: null,
      connectionCount: null,
      organizationId: null,
      organizationName: null,
      organizationSlug: null,
    });
  });

  it('drops a link that browsers shouldn’t open', () => {
    for (const [what, link] of Object.entries(unsafeUrls)) {
      assert.equal(readSourceSchema.parse({ ...activeSource, link }).link, null, what);
    }
  });

  it('rejects a source without id, provider, or status', () => {
    for (const field of ['id', 'provider', 'status']) {
      assert.equal(readSourceSchema.safeParse({ ...activeSource, [field]: undefined }).success, false, field);
      assert.equal(readSourceSchema.safeParse({ ...activeSource, [field]: 'a'.repeat(129) }).success, false, field);
    }
  });
});
