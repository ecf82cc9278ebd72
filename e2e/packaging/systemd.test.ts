import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '@pulse-card/testkit/root';

const UNIT = join(ROOT, 'deploy/systemd/pulse-bff.service');

/**
 * The maximum exposure, on systemd's scale from 0 to 10. systemd calls values up to 2.9 "OK". A unit without any
 * settings has an exposure of 9.6.
 */
const MAX_EXPOSURE = 2;

describe('deploy/systemd/pulse-bff.service', () => {
  it(`has a systemd exposure level of at most ${MAX_EXPOSURE}`, (test) => {
    const args = ['security', '--offline=true', '--no-pager', UNIT];
    const { stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const level = Number(/exposure level for [^:]+: ([\d.]+)/.exec(stdout)?.[1]);
    test.diagnostic(`exposure ${level}`);
    assert.ok(level <= MAX_EXPOSURE, stdout + stderr);
  });

  it('contains only lines that systemd recognizes', () => {
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
    const faults = `${stdout}${stderr}`.split('\n').filter((line) => /pulse-bff\.service:\d+/.test(line));
    assert.deepEqual(faults, []);
  });
});
