import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExposableField } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { NO_RHYTHM } from '../features/history/rhythm.ts';
import { cardWithPulse } from '../testing/served-app.ts';
import { PublicFields, type SnapshotWithPulse } from './public-fields.ts';

function answerWith(expose: readonly ExposableField[] = [], withheldRun = '', more: Partial<SnapshotWithPulse> = {}) {
  const fields = new PublicFields({
    expose: new Set(expose),
    images: { urlOf: ({ jobRunId }) => `/image?run=${jobRunId}` },
    history: { rhythmOf: () => NO_RHYTHM },
    withheld: { has: (run) => run === withheldRun },
  });
  return fields.answer({ ...cardWithPulse, ...more }, false);
}

const PULSE = [
  'aiSummaryLong',
  'aiSummaryShort',
  'completedAt',
  'imageUrl',
  'jobRunId',
  'sourceId',
  'sourceName',
  'status',
];
const SOURCE = ['name', 'provider', 'rhythm', 'status'];
const ORGANIZATION = ['organizationId', 'organizationName', 'organizationSlug'];

describe('PublicFields', () => {
  for (const [expose, ofPulse, ofSource] of [
    [[], [], []],
    [['link'], [], ['link']],
    [['deliveryLink'], ['deliveryLink'], []],
    [['connectionCount'], [], ['connectionCount']],
    [['organization'], ORGANIZATION, []],
  ] as const)
    it(`shows exactly the fields that PULSE_EXPOSE=${expose.join()} allows`, () => {
      const { meta, pulse, source } = answerWith(expose);
      assert.equal(Date.parse(meta.requestedAt), cardWithPulse.requestedAtMs);
      assert.deepEqual(Object.keys(pulse).toSorted(), [...PULSE, ...ofPulse].toSorted());
      assert.equal(pulse.organizationName, ofPulse === ORGANIZATION ? fullPulse.organizationName : undefined);
      assert.deepEqual(Object.keys(source).toSorted(), [...SOURCE, ...ofSource].toSorted());
    });

  it('takes the name of a source that isn’t in the list from its pulse', () =>
    assert.equal(answerWith([], '', { source: null }).source.name, fullPulse.sourceName));

  it('hides both of a withheld run’s texts', () => {
    const { pulse } = answerWith([], fullPulse.jobRunId);
    assert.deepEqual([pulse.withheld, pulse.aiSummaryShort, pulse.aiSummaryLong], [true, null, null]);
    assert.equal(pulse.imageUrl, `/image?run=${fullPulse.jobRunId}`);
    assert.equal(answerWith([], 'run_other').pulse.aiSummaryLong, fullPulse.aiSummaryLong);
  });
});
