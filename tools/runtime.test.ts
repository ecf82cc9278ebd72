import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../scripts/run.ts';

const RUNTIMES = [join(ROOT, 'packages/bff/src/runtime.ts')];
const OLD_NODE = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;

describe('runtime.ts', () => {
  for (const runtime of RUNTIMES) {
    const name = runtime.slice(ROOT.length + 1);

    it(`hands a program on an old Node over to the one that is brought (${name})`, () => {
      const program = programAfter(
        runtime,
        'console.log(process.versions.node, process.argv[2], process.env.PULSE_HANDED_OVER)',
      );
      const { stdout, status } = spawnSync(process.execPath, ['--import', OLD_NODE, program, 'serve'], {
        encoding: 'utf8',
      });
      assert.deepEqual([stdout.trim(), status], [`${process.versions.node} serve 1`, 0]);
    });

    it(`ends with the exit code of the program (${name})`, () => {
      const program = programAfter(runtime, 'process.exit(2)');
      assert.equal(spawnSync(process.execPath, ['--import', OLD_NODE, program]).status, 2);
    });

    it(`leaves no program behind when what handed it over is gone (${name})`, async () => {
      const program = programAfter(runtime, 'setInterval(() => {}, 1000); process.send("ready")');
      const child = fork(program, { env: { ...process.env, PULSE_HANDED_OVER: '1' } });
      await once(child, 'message');
      child.disconnect();
      assert.deepEqual(await once(child, 'exit'), [1, null]);
    });
  }
});

/** A program whose first import is the runtime. */
function programAfter(runtime: string, body: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'runtime-')), 'program.mjs');
  writeFileSync(path, `import ${JSON.stringify(runtime)};\n${body};\n`);
  return path;
}
