import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { testLog } from '../testing/test-log.ts';
import { errorSummary } from './log.ts';
import { LogOutput } from './log-output.ts';

describe('openLog()', () => {
  it('logs a warning at most once a minute and returns whether it did', async () => {
    const { clock, log, messages } = testLog();
    assert.deepEqual([log.warn('Can’t write: ENOSPC'), log.warn('Can’t write: ENOSPC')], [true, false]);
    await clock.advance(59_999);
    assert.equal(log.warn('Can’t write: ENOSPC'), false);
    await clock.advance(2);
    assert.equal(log.warn('Can’t write: ENOSPC'), true);
    assert.deepEqual(messages(), ['Can’t write: ENOSPC', 'Can’t write: ENOSPC']);
  });

  it('treats warnings of the same kind as equal, and any other texts as different', () => {
    const { log, messages } = testLog();
    for (let calls = 1; calls < 1_000; calls += 1) log.warn(`Others use the key (${calls} calls)`, 'others');
    for (const id of ['src_1', 'src_2']) log.warn(`Unreadable: ${id}`);
    assert.deepEqual(messages(), ['Others use the key (1 calls)', 'Unreadable: src_1', 'Unreadable: src_2']);
  });

  it('writes a single line without control characters', () => {
    const { lines, log } = testLog();
    log.warn(`a\n\u001b[2J${'x'.repeat(2_000)}`);
    assert.match(String(lines[0]?.['msg']), /^a\?\?\[2Jx{594}$/);
  });

  it('logs where an internal error occurred, but not its message', () => {
    const { lines, log, messages } = testLog();
    for (let at = 0; at < 3; at += 1) log.fault(new TypeError('canary'), 'Can’t respond to a request');
    assert.deepEqual(messages(), ['Can’t respond to a request: internal error']);
    assert.match(String(lines[0]?.['fault']), /^TypeError at .*log\.test\.ts/);
    assert.doesNotMatch(JSON.stringify(lines), /canary/);
  });
});

describe('errorSummary()', () => {
  for (const thrown of ['canary', { key: 'canary' }, undefined])
    it(`contains only the type of a thrown ${typeof thrown}`, () => assert.equal(errorSummary(thrown), typeof thrown));
});

describe('A server’s log', () => {
  const module = new URL('log.ts', import.meta.url).href;
  /**
   * A process that logs lines, closes its log, and reports whether lines are lost. If they should be, it waits until the
   * log has noticed.
   */
  const script = `
    const { openLog } = await import(${JSON.stringify(module)});
    const [, owner, isLost] = process.argv;
    const log = openLog({ level: 'info', ownsProcess: owner === 'owner' });
    for (let at = 0; at < 4_000; at += 1) log.logger.info('x'.repeat(100));
    for (let waits = 0; waits < 5 || (isLost === 'true' && waits < 200 && !log.isLost()); waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      log.logger.info('x');
    }
    const found = log.isLost();
    await log.close();
    console.error(found);
    process.exit(7);`;
  const args = ['--conditions=source', '--input-type=module', '-e', script];
  const node = (owner: string, isLost: boolean) => [process.execPath, ...args, owner, String(isLost)];

  for (const owner of ['owner', 'guest'])
    for (const [what, output, isLost] of [
      ['a full disk', '> /dev/full', true],
      ['a closed pipe', '| true', true],
      ['a pipe that is read', '| cat > /dev/null', false],
      ['a file', '> /dev/null', false],
    ] as const)
      it(`can be closed, and detects lost lines (${owner}): ${what}`, () => {
        const command = `{ "$@"; echo $? >&2; } ${output}`;
        const { stderr } = spawnSync('sh', ['-c', command, 'sh', ...node(owner, isLost)], {
          encoding: 'utf8',
          timeout: 60_000,
        });
        assert.equal(stderr, `${isLost}\n7\n`);
      });

  it('counts as lost once nothing has read from the pipe for 5 s', (t) => {
    using folder = temporaryFolder();
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const output = new LogOutput(openSync(pipe, constants.O_RDWR), { ownsProcess: true });
    output.write('x'.repeat(200_000));
    assert.equal(output.isLost, false);
    const now = performance.now();
    t.mock.method(performance, 'now', () => now + 5_001);
    assert.equal(output.isLost, true);
  });

  it('lets the process exit even if nothing reads from the pipe', async () => {
    const child = spawn(process.execPath, [...args, 'owner', 'false'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pause();
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as [number];
    child.stdout.destroy();
    assert.equal(code, 7);
  });
});
