import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema, readConfig } from '@pulse-card/bff/config';
import { createHttpServer } from '@pulse-card/bff/http-server';
import { parse } from 'yaml';
import { ROOT } from '@pulse-card/testkit/root';

/** Sample values for the variables that an operator must fill in. */
const FILLED_IN: Readonly<Record<string, string>> = {
  PULSE_API_KEY_FILE: '/run/secrets/pulse-key',
  PULSE_BASE_URL: 'https://api.example.com',
  DOMAIN: 'pulse.example.com',
  PULSE_PUBLIC_URL: 'https://pulse.example.com',
};

type Settings = Readonly<Record<string, string>>;

const compose = parse(read('compose.yaml')) as {
  services: Record<string, { environment?: Settings; volumes?: string[]; logging?: unknown }>;
};

/** The variables that each file sets for the BFF. */
const FILES: Readonly<Record<string, Settings>> = {
  'compose.yaml': filledIn(compose.services['bff']?.environment ?? {}),
  'deploy/systemd/bff.env': assignmentsIn(read('deploy/systemd/bff.env'), /^(\w+)=(.*)$/gm),
};

for (const [file, settings] of Object.entries(FILES))
  describe(file, () => {
    it('sets only variables that the BFF reads', () => {
      const known = new Set(Object.keys(configSchema.shape));
      assert.ok(Object.keys(settings).length > 3);
      assert.deepEqual(
        Object.keys(settings).filter((name) => !known.has(name)),
        [],
      );
    });

    it('is a configuration that the BFF accepts and that trusts the proxy in front of it', () => {
      const config = readConfig({ PULSE_API_KEY_FILE: '/run/secrets/pulse-key', ...settings });
      assert.notEqual(config.trustProxy, 0);
      assert.match(config.publicUrl, /^https:/);
    });
  });

describe('compose.yaml', () => {
  it('limits the size of every container’s logs', () => {
    for (const [name, { logging }] of Object.entries(compose.services))
      assert.deepEqual(logging, { driver: 'local', options: { 'max-size': '10m', 'max-file': '3' } }, name);
  });

  it('mounts the key’s folder, so that a new key file appears in the container', () => {
    const [source, target] = (compose.services['bff']?.volumes ?? [])
      .find((volume) => volume.startsWith('./'))
      ?.split(':') ?? [''];
    assert.equal(compose.services['bff']?.environment?.['PULSE_API_KEY_FILE'], `${target}/pulse-key`);
    assert.ok(
      source !== undefined &&
        read('.gitignore')
          .split('\n')
          .includes(`${source.slice(2)}/`),
    );
  });

  it('stores the BFF’s last good responses in a volume for the next start', () => {
    const dockerfile = read('Dockerfile');
    const folder = /PULSE_STATE_DIR=(\S+)/.exec(dockerfile)?.[1] ?? 'none';
    assert.ok(read('compose.yaml').includes(folder));
  });
});

describe('.dockerignore', () => {
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));

  /** The last rule that matches a path decides. */
  function isLeftOut(path: string): boolean {
    const last = rules.findLast((rule) => {
      const pattern = rule.replace('!', '');
      return matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
    });
    return last?.startsWith('!') !== true;
  }

  it('includes every file that the Studio imports', () => {
    const sources = globSync('demo/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules', '**/*.test.ts'] });
    const imported = sources.flatMap((file) =>
      Array.from(read(file).matchAll(/from '(\.[^'?]+)/g), ([, path = '']) => join(dirname(file), path)),
    );
    assert.deepEqual(imported.filter(isLeftOut), []);
  });

  it('includes the source of everything that the packages export', () => {
    const exported = globSync('packages/*/package.json', { cwd: ROOT }).flatMap((manifest) => {
      const files = read(manifest).matchAll(/"source": "\.\/(src\/[^"]+)"/g);
      return Array.from(files, ([, file = '']) => join(dirname(manifest), file));
    });
    assert.ok(exported.length > 10);
    assert.deepEqual(exported.filter(isLeftOut), []);
  });
});

describe('The proxies in deploy/', () => {
  for (const [file, pattern] of [
    ['nginx/pulse-card.conf', /keepalive_timeout (\d+)s;/],
    ['nginx/pulse-card-cdn.conf', /keepalive_timeout (\d+)s;/],
    ['caddy/Caddyfile', /keepalive (\d+)s/],
  ] as const)
    it(`close idle connections before the BFF closes them: ${file}`, () => {
      const seconds = Number(pattern.exec(read(`deploy/${file}`))?.[1]);
      assert.ok(seconds * 1_000 < createHttpServer(() => {}).keepAliveTimeout, `${seconds} s`);
    });
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Replaces `${NAME}`, `${NAME:-default}`, and `${NAME:?message}`, as Compose does. */
function filledIn(environment: Settings): Settings {
  const fill = (text: string): string =>
    text.replace(
      /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
      (_, name: string, fallback = '') => FILLED_IN[name] ?? fallback,
    );
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

function assignmentsIn(text: string, pattern: RegExp): Settings {
  return Object.fromEntries(Array.from(text.matchAll(pattern), ([, name = '', value = '']) => [name, value]));
}
