import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  metaSchema,
  pulseBodySchema,
  readPulseBodySchema,
  readSourcesBodySchema,
  sourcesBodySchema,
} from './service-responses.ts';
import { activeSource, brokenPulseBodies, fullPulse, pulseBody, sourcesBody } from './examples.ts';

describe('metaSchema', () => {
  it('contains only the account id, the email, and the time with milliseconds', () => {
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
});

describe('readPulseBodySchema', () => {
  it('reads everything that the service writes, except the time', () => {
    assert.deepEqual(readPulseBodySchema.parse(pulseBody), {
      meta: { account: pulseBody.meta.account },
      pulse: fullPulse,
    });
  });

  for (const [what, body] of Object.entries(brokenPulseBodies)) {
    it(`rejects ${what}`, () => assert.equal(readPulseBodySchema.safeParse(body).success, false));
  }

  it('reads a pulse even if its meta is broken or missing', () => {
    for (const meta of [undefined, null, 7, { account: {} }]) {
      assert.deepEqual(readPulseBodySchema.parse({ meta, pulse: fullPulse }).pulse, fullPulse);
    }
  });
});

describe('readSourcesBodySchema', () => {
  it('reads every source that the service writes', () => {
    assert.deepEqual(readSourcesBodySchema.parse(sourcesBody).sources, sourcesBody.sources);
  });

  it('reads more than ten sources, in case the service ever sends them', () => {
    const sources = Array.from({ length: 40 }, () => activeSource);
    assert.equal(readSourcesBodySchema.parse({ ...sourcesBody, sources }).sources.length, 40);
  });

  const unreadable: unknown[] = [null, 7, {}, [], { ...activeSource, id: 'src/1' }, { ...activeSource, id: 3 }];

  it('skips and counts rows that can’t be read', () => {
    for (const row of unreadable) {
      const { sources, unreadableRows } = readSourcesBodySchema.parse({
        ...sourcesBody,
        sources: [row, activeSource],
      });
      assert.deepEqual([sources, unreadableRows], [[activeSource], 1], JSON.stringify(row));
    }
  });

  it('reads an empty list', () => {
    const { sources, unreadableRows } = readSourcesBodySchema.parse({ ...sourcesBody, sources: [] });
    assert.deepEqual([sources, unreadableRows], [[], 0]);
  });

  it('rejects a list that has no readable row', () => {
    assert.equal(readSourcesBodySchema.safeParse({ ...sourcesBody, sources: unreadable }).success, false);
  });

  it('rejects a value that isn’t a list', () => {
    for (const sources of [undefined, null, {}, [null], [[]]]) {
      assert.equal(
        readSourcesBodySchema.safeParse({ ...sourcesBody, sources }).success,
        false,
        JSON.stringify(sources),
      );
    }
  });
});
