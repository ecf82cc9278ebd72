import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ROOT } from '../root.ts';

/** Runs as an unprivileged user, because a fake `sudo` is enough to see what would be installed. */
const PROGRAM = `
  process.getuid = () => Number(process.env.FAKE_UID);
  const { installFromSystem } = await import('./packages/testkit/src/system/system-packages.ts');
  const title = (name) => ({ title: name, names: { apt: name.toLowerCase(), dnf: 'other' } });
  try {
    installFromSystem([title('Redis'), title('Varnish')]);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  console.log('first test');
`;

describe('installFromSystem()', () => {
  let folder = '';
  const log = () => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').trim() : '');
  const install = (uid: number, ...options: readonly string[]) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM, '--', ...options], {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
        FAKE_UID: String(uid),
      },
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'system-packages-'));
    for (const name of ['apt-get', 'sudo', 'sh']) {
      writeFileSync(join(folder, name), `#!/bin/bash\necho ${name} "$@" >> ${join(folder, 'log')}\n`);
      chmodSync(join(folder, name), 0o755);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('prints one command for all packages and fails if the user isn’t root', () => {
    const { status, stderr } = install(1000);
    assert.equal(status, 1);
    assert.equal(
      stderr,
      'Redis, Varnish: not found. Install with "sudo apt-get install redis varnish", or add --install to this command\n',
    );
    assert.equal(log(), '');
  });

  it('installs with sudo if the user asks for it', () => {
    const { status, stdout } = install(1000, '--install');
    assert.equal(status, 0);
    assert.match(
      stdout,
      /Redis, Varnish: not found\. Installing: sudo sh \S+apt-install\.sh redis varnish\nfirst test/,
    );
    assert.match(log(), /^sudo sh \S+apt-install\.sh redis varnish$/);
  });

  it('installs without asking if the user is root', () => {
    assert.equal(install(0).status, 0);
    assert.match(log(), /^sh \S+apt-install\.sh redis varnish$/);
  });
});
