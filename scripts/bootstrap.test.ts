import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ROOT } from './run.ts';

const FILES = ['bootstrap.js', 'install.js', 'help.js', 'process-group.js', 'end-with-parent.js'];

/** Stands in for npx and writes its arguments to a file. */
const FAKE_NPX = '#!/bin/sh\necho "$@" >> "$FAKE_NPX_LOG"\n';

describe('bootstrap.js', () => {
  let folder = '';
  const log = (): string[] => {
    const file = join(folder, 'npx.log');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const run = (file: string, node = process.execPath) =>
    spawnSync(node, ['scripts/bootstrap.js', file], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
        FAKE_NPX_LOG: join(folder, 'npx.log'),
      },
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
    for (const name of FILES) put(`scripts/${name}`, readFileSync(join(ROOT, 'scripts', name), 'utf8'));
    for (const file of ['scripts/start.ts', 'scripts/test.ts', 'scripts/build.ts'])
      put(file, 'console.log(process.execPath);');
    put('package.json', '{ "type": "module", "packageManager": "pnpm@1.2.3+sha512.0" }');
    put('pnpm-lock.yaml', 'first');
    for (const group of ['packages', 'examples', 'node_modules']) mkdirSync(join(folder, group));
    put('bin/npx', FAKE_NPX);
    chmodSync(join(folder, 'bin/npx'), 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('installs only what npm start needs to run the product', () => {
    const { status, stderr } = run('scripts/start.ts');
    assert.equal(status, 0, stderr);
    assert.equal(log().length, 1);
    assert.match(
      log()[0] ?? '',
      / pnpm@1.2.3 install --frozen-lockfile --prod .*--filter \. .*--filter !@pulse-card\/testkit/,
    );
    assert.match(stderr, /^Installing the packages that run Pulse Card \(up to \d+ MB to download\)/);
  });

  it('says why it can’t install anything, without starting npm', () => {
    rmSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync('nowhere', join(folder, 'node_modules'));
    const { status, stderr } = run('scripts/start.ts');
    assert.equal(status, 1);
    assert.match(stderr.trim().split('\n')[1] ?? '', /^Can’t install the packages: .*node_modules/);
    assert.deepEqual(log(), []);
  });

  it('installs nothing the second time', () => {
    for (const file of ['scripts/test.ts', 'scripts/test.ts', 'scripts/build.ts', 'scripts/start.ts']) run(file);
    assert.equal(log().length, 1);
  });

  it('doesn’t remove installed packages if npm start runs after a lockfile change', () => {
    run('scripts/test.ts');
    put('pnpm-lock.yaml', 'second');
    run('scripts/start.ts');
    assert.doesNotMatch(log().at(-1) ?? '', /--prod/);
    assert.match(log().at(-1) ?? '', /--filter \* /);
  });

  it('runs the program with the machine’s Node without installing another one', () => {
    const { stdout } = run('scripts/start.ts');
    assert.equal(stdout.trim(), process.execPath);
    assert.match(log()[0] ?? '', /--filter !@pulse-card\/node/);
  });

  it('keeps the pinned Node, which comes first in npm’s PATH once it is installed', () => {
    const pinned = join(folder, 'tools/node/node_modules/node/bin/node');
    mkdirSync(dirname(pinned), { recursive: true });
    copyFileSync(process.execPath, pinned);
    const { stdout, stderr } = run('scripts/start.ts', pinned);
    assert.equal(stdout.trim(), pinned);
    assert.doesNotMatch(stderr, /because this is Node/);
    assert.match(log()[0] ?? '', /--filter @pulse-card\/node/);
    assert.ok(existsSync(join(folder, 'node_modules/.bin/node')));
  });
});
