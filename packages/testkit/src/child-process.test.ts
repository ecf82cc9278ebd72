import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startChild } from './child-process.ts';
import { until } from './until.ts';

const start = (program: string, options: Partial<Parameters<typeof startChild>[0]> = {}) =>
  startChild({ title: 'a server', args: ['--eval', program], ...options });

/** A program that listens and then prints its URL. */
const SERVER = `const server = require('node:http').createServer((_, response) => response.end());
server.listen(0, '127.0.0.1', () => console.log('at ' + server.address().port));`;

describe('startChild()', () => {
  it('resolves with the line that shows the program is listening', async () => {
    const server = await start(SERVER, { isReady: (line) => line.startsWith('at ') });
    const response = await fetch(`http://127.0.0.1:${server.readyLine.slice(3)}`);
    assert.equal(response.status, 200);
    await server.stop();
    await assert.rejects(fetch(`http://127.0.0.1:${server.readyLine.slice(3)}`));
  });

  it('rejects with the last lines of output if the program exits before it’s ready', async () => {
    const ends = start('console.log("no key"); process.exitCode = 2', { isReady: () => false });
    await assert.rejects(ends, { message: 'Can’t start a server: it ended with 2\nno key' });
  });

  it('rejects if the program doesn’t exist', async () => {
    await assert.rejects(start('', { command: '/nowhere/program' }), /Can’t start a server: .*ENOENT/);
  });

  it('stops its whole process group', async () => {
    const parent = `const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      console.log('child ' + child.pid); setInterval(() => {}, 1000);`;
    const group = await start(parent, { isGroup: true, isReady: (line) => line.startsWith('child ') });
    const pid = Number(group.readyLine.slice(6));
    assert.doesNotThrow(() => process.kill(pid, 0));
    await group.stop();
    await until('the child has ended', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
