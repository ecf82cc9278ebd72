import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startChild } from './child-server.ts';

const node = (code: string) => ({ title: 'a server', args: ['-e', code] });
const isReady = (line: string) => line.startsWith('ready');

describe('startChild()', () => {
  it('waits for the line that says the server is ready', async () => {
    const child = await startChild({
      ...node('console.log("one"); console.log("ready at 5"); setInterval(() => {}, 1e6)'),
      isReady,
    });
    assert.equal(child.readyLine, 'ready at 5');
    await child.stop();
  });

  it('fails with what the server said, where it ends before', async () => {
    const failing = startChild({
      ...node('console.error("port taken"); process.exitCode = 3'),
      isReady,
    });
    await assert.rejects(failing, /Cannot start a server: it ended with 3\nport taken/);
  });

  it('fails where there is no such program', async () => {
    await assert.rejects(
      startChild({ title: 'a server', command: 'no-such-program', args: [] }),
      /Cannot start a server/,
    );
  });

  it('hands the server the variables it was given and none of its own', async () => {
    process.env['PULSE_BENCH_TEST'] = 'leaks';
    const code = 'console.log("ready", process.env.GIVEN, process.env.PULSE_BENCH_TEST); setInterval(() => {}, 1e6)';
    const child = await startChild({ ...node(code), env: { GIVEN: 'yes' }, isReady });
    assert.equal(child.readyLine, 'ready yes undefined');
    await child.kill();
    assert.ok(child.hasEnded);
  });
});
