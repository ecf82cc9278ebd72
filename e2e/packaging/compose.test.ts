import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '@pulse-card/testkit/root';

const folder = mkdtempSync(join(tmpdir(), 'pulse-compose-'));
const SETTINGS = 'PULSE_BASE_URL=https://api.example.com\nDOMAIN=pulse.example.com\n';

const ALL = ['--profile', 'redis', '--profile', 'service'];

interface Service {
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly unknown[];
}

describe('compose.yaml', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('prints the name of a missing variable and fails', () => {
    const { status, stderr } = compose('DOMAIN=pulse.example.com\n', ['config', '--quiet']);
    assert.notEqual(status, 0);
    assert.match(stderr, /PULSE_BASE_URL/);
  });

  it('is a valid Compose file that starts Redis and the service only on request', () => {
    const { status, stdout, stderr } = compose(SETTINGS, ['config'], ALL);
    assert.equal(status, 0, stderr);
    const { services } = parse(stdout) as { services: Record<string, Service> };
    const profiles = Object.entries(services).map(([name, service]) => [name, service.profiles]);
    const wanted = { bff: undefined, caddy: undefined, redis: ['redis'], service: ['service'] };
    assert.deepEqual(Object.fromEntries(profiles), wanted);
  });

  it('runs read-only containers without capabilities and publishes only Caddy’s ports', () => {
    const { stdout } = compose(SETTINGS, ['config'], ALL);
    const { services } = parse(stdout) as { services: Record<string, Service> };
    for (const [name, { read_only: isReadOnly, cap_drop: dropped, ports = [] }] of Object.entries(services)) {
      assert.deepEqual([name, isReadOnly, dropped], [name, true, ['ALL']]);
      assert.equal(ports.length > 0, name === 'caddy', name);
    }
  });
});

/**
 * Runs `docker compose`, or Debian's `docker-compose`, in a copy of the project. The `config` command doesn't need a
 * running engine.
 */
function compose(settings: string, command: readonly string[], flags: readonly string[] = []) {
  copyFileSync(join(ROOT, 'compose.yaml'), join(folder, 'compose.yaml'));
  writeFileSync(join(folder, '.env'), settings);
  const isPlugin = spawnSync('docker', ['compose', 'version']).status === 0;
  const [program = '', ...first] = isPlugin ? ['docker', 'compose'] : ['docker-compose'];
  return spawnSync(program, [...first, ...flags, ...command], { encoding: 'utf8', cwd: folder });
}
