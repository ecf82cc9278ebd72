import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';

const WIDGET = join(ROOT, 'packages/widget');
const CANARY = 'CANARYk3y_0123456789abcdef';

/** Matches strings that pages must not contain: variables, the key's header, and paths from the build machine. */
const NEVER = [
  CANARY,
  'process.env',
  'import.meta.env',
  'X-API-Key',
  'PULSE_API',
  'PRIVATE KEY',
  '/home/',
  '/root/',
  ROOT,
];

/** Builds the card while every variable that a bundler might include contains a secret. Returns all its files. */
function buildWithSecrets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-bundle-'));
  const secrets = { PULSE_API_KEY: CANARY, VITE_SECRET: CANARY, SECRET: CANARY };
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(WIDGET, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error', '--outDir', folder],
    { cwd: WIDGET, env: { ...process.env, ...secrets }, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.some(({ name }) => name === 'pulse-card.js'));
  const text = files.map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), 'utf8')).join('\n');
  rmSync(folder, { recursive: true });
  return text;
}

describe('pulse-card.js', () => {
  it('T-05: doesn’t contain the build machine’s variables or paths, any part of the key, or a source map', () => {
    const text = buildWithSecrets();
    for (const never of NEVER) assert.ok(!text.includes(never), never);
    assert.doesNotMatch(text, /sourceMappingURL|"sourcesContent"/);
  });
});
