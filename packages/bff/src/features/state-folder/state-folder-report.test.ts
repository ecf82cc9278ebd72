import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateFolderReport } from './state-folder-report.ts';

describe('stateFolderReport()', () => {
  it('reports a problem while files can’t be written', () => {
    const { facts, problems, gauges } = stateFolderReport(() => 'ENOSPC');
    assert.deepEqual(facts?.(), { stateDirFault: 'ENOSPC' });
    assert.match(problems?.()[0]?.headline ?? '', /^The state folder is not writable \(ENOSPC\)\./);
    assert.equal(gauges?.()['state_dir_failing']?.[1], 1);
  });

  it('reports no problem otherwise', () => {
    const { facts, problems, gauges } = stateFolderReport(() => undefined);
    assert.deepEqual([facts?.(), problems?.()], [{ stateDirFault: null }, []]);
    assert.equal(gauges?.()['state_dir_failing']?.[1], 0);
  });
});
