import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostFact } from './facts.ts';

describe('hostFact()', () => {
  const host = { host: 'main', state: 'closed', preferred: true, consecutiveFailures: 0, openForMs: 0 } as const;
  const AT = '2026-05-08T09:00:12.000Z';
  for (const [lastAnswerAt, preferred, kind, words] of [
    [AT, true, 'good', 'healthy, in use'],
    [AT, false, 'good', 'healthy, on standby'],
    [null, true, 'neutral', 'not tried yet'],
  ] as const)
    it(`says "${words}" if the last response came at ${lastAnswerAt}`, () => {
      const fact = hostFact({ ...host, failure: null, lastAnswerAt, preferred });
      assert.deepEqual([fact.kind, fact.words], [kind, words]);
    });
});
