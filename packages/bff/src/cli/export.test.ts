import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { ConfigError } from '../lib/secret-file.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { exportFiles } from './export.ts';
import type { Shell } from './output.ts';

const folder = temporaryFolder();
after(() => folder.remove());

const output = { isTTY: false, write: () => true } as unknown as Shell['stdout'];
const VARIABLES = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: 'http://127.0.0.1:9' };

describe('exportFiles()', () => {
  for (const [what, variable, images, variables] of [
    ['of pulses that need a token', 'PULSE_ACCESS', false, { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: '/keys' }],
    ['of charts from any host', 'PULSE_IMAGE_HOSTS', true, { PULSE_PUBLIC_URL: 'https://pulse.test' }],
    ['of charts without their public URL', 'PULSE_PUBLIC_URL', true, { PULSE_IMAGE_HOSTS: 'cdn.test' }],
  ] as const)
    it(`rejects an export ${what} and writes nothing`, async () => {
      const dir = folder.file('site');
      const shell: Shell = { env: { ...VARIABLES, ...variables }, stdout: output, stderr: output, exitCode: undefined };
      await assert.rejects(
        exportFiles(shell, dir, images),
        (error) => error instanceof ConfigError && error.faults.some((fault) => fault.startsWith(variable)),
      );
      assert.equal(existsSync(dir), false);
    });
});
