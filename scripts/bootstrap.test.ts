import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './run.ts';

describe('bootstrap.js', () => {
  it('ends what it runs when the one who began it is gone without a word, as npm is on SIGTERM', async () => {
    const command = `"${process.execPath}" scripts/bootstrap.js scripts/testing/waits.ts; true`;
    const shell = spawn('sh', ['-c', command], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: shell.stdout });
    const [said] = (await once(lines, 'line')) as [string];
    const pid = Number(said);
    assert.ok(isRunning(pid), said);
    shell.kill('SIGKILL');
    for (const until = performance.now() + 30_000; isRunning(pid) && performance.now() < until;) await pause(100);
    assert.equal(isRunning(pid), false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
