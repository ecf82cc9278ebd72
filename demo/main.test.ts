import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';

describe('main.ts', () => {
  it('prints one line and exits with status 1 if its port is in use', async () => {
    const other = createServer().listen(0, 'localhost');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = spawnSync(process.execPath, ['--conditions=source', `${import.meta.dirname}/main.ts`], {
      env: { ...process.env, PULSE_DEMO_PORT: String(port) },
      encoding: 'utf8',
    });
    other.close();
    assert.deepEqual(
      [status, stderr],
      [1, `Can’t serve the demo: port ${port} is in use; set PULSE_DEMO_PORT to a different port\n`],
    );
  });
});
