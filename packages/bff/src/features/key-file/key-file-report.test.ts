import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyFileReport, type KeyFileState } from './key-file-report.ts';

const reportOf = (state: KeyFileState) => keyFileReport(() => ({ state, takenOver: 1 }));

describe('keyFileReport()', () => {
  for (const [state, code, isUsable] of [
    ['in_use', undefined, 1],
    ['untried', undefined, 1],
    ['refused', 'key_file_refused', 0],
    ['missing', 'key_file_unusable', 0],
    ['invalid', 'key_file_unusable', 0],
  ] as const)
    it(`reports ${code ?? 'no problem'} for a key file whose state is ${state}`, () => {
      const { problems, gauges, facts } = reportOf(state);
      assert.equal(problems?.()[0]?.code, code);
      assert.deepEqual(gauges?.()['key_file_usable']?.[1], isUsable);
      assert.deepEqual(facts?.(), { keyFile: { state, takenOver: 1 } });
    });

  it('says that the last key stays in use', () =>
    assert.equal(
      reportOf('invalid').problems?.()[0]?.headline,
      'The key file is not valid. The last key stays in use.',
    ));

  it('counts the new keys that the service has accepted', () =>
    assert.equal(reportOf('in_use').gauges?.()['key_takeovers_total']?.[1], 1));
});
