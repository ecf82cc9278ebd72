import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import express from 'express';
import { startTestUpstream } from '../testing/test-upstream.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { askOf, exportFiles } from './export.ts';
import type { Shell } from './output.ts';

const folder = temporaryFolder();
after(() => folder.remove());

function shellWith(env: Shell['env']): Shell {
  const output = { isTTY: false, write: () => true, on: () => output };
  return { env, stdout: output, stderr: output, exitCode: undefined } as unknown as Shell;
}

const VARIABLES = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: 'http://127.0.0.1:9' };

describe('askOf()', () => {
  const admin = express().use((_req, res) => {
    res.status(503).set('Retry-After', '0.001').json({ success: false, error: 'No', code: 'upstream_rate_limited' });
  });

  it('waits for calls, but not forever', async () => {
    const ask = askOf({ admin }, { maxWaitMs: 3, signal: new AbortController().signal });
    assert.deepEqual(await ask('/v1/sources'), { ok: false, error: 'No', code: 'upstream_rate_limited' });
  });

  it('rejects once the export is stopped', async () => {
    const ask = askOf({ admin }, { maxWaitMs: 0, signal: AbortSignal.abort(new Error('stopped')) });
    await assert.rejects(ask('/v1/sources'), /stopped/);
  });
});

describe('exportFiles()', () => {
  for (const [what, variable, images, variables] of [
    ['of pulses that need a token', 'PULSE_ACCESS', false, { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: '/keys' }],
    ['of charts from any host', 'PULSE_IMAGE_HOSTS', true, { PULSE_PUBLIC_URL: 'https://pulse.test' }],
    ['of charts without their public URL', 'PULSE_PUBLIC_URL', true, { PULSE_IMAGE_HOSTS: 'cdn.test' }],
  ] as const)
    it(`rejects an export ${what} and writes nothing`, async () => {
      const dir = folder.file('site');
      const shell = shellWith({ ...VARIABLES, ...variables });
      await assert.rejects(exportFiles(shell, dir, images), new RegExp(`^(?:ConfigError: )?${variable}`, 'm'));
      assert.equal(existsSync(dir), false);
    });

  it('doesn’t take an empty name for the working directory', () =>
    assert.rejects(exportFiles(shellWith(VARIABLES), ''), { message: /Can’t export to this folder/ }));

  for (const [what, failing, exitCode] of [
    ['everything is new', undefined, 0],
    ['a pulse couldn’t be loaded', 'src_2', 1],
  ] as const)
    it(`ends with ${exitCode} if ${what}`, async (t) => {
      const service = await startTestUpstream({ sources: ['src_1', 'src_2'] });
      t.after(() => service.close());
      if (failing) service.fail('unavailable', failing);
      const dir = folder.file(`site-${exitCode}`);
      const stateDir = folder.file('state');
      const shell = shellWith({ ...service.variables, PULSE_SOURCES: 'src_1,src_2', PULSE_STATE_DIR: stateDir });
      await exportFiles(shell, dir);
      assert.deepEqual([existsSync(stateDir), existsSync(join(dir, '.pulse-export.lock'))], [false, false]);
      assert.equal(shell.exitCode, exitCode);
      assert.equal(existsSync(join(dir, 'v1/sources/src_1/pulse')), true);
      assert.equal(existsSync(join(dir, 'v1/sources/src_2/pulse')), exitCode === 0);
    });
});
