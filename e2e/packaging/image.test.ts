import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '@pulse-card/testkit/free-port';
import { engineRun } from '@pulse-card/testkit/images/container-engine';
import { CANARY, engineFromEnvironment, IMAGES, type ImageTarget } from '@pulse-card/testkit/images/image-under-test';
import { ROOT } from '@pulse-card/testkit/root';
import { importDocument } from '@pulse-card/testkit/import-document';
import { until } from '@pulse-card/testkit/until';

const engine = engineFromEnvironment();
const TARGETS = ['bff', 'service'] as const;
const NODE = '/usr/local/bin/node';

/** The maximum size of an image, in bytes. Node needs 127 MB of it. */
const MAX_SIZE = 180_000_000;

/** Tools that developers or attackers would use. */
const FOREIGN_FILES =
  /(^|\/)(sh|bash|dash|apt|dpkg|npm|npx|pnpm|yarn|perl|curl|wget)$|\.(ts|map|tsbuildinfo)$|\.env|\.git\//;

interface Inspected {
  readonly Size: number;
  readonly Config: { readonly User: string; readonly Healthcheck?: { readonly Test: readonly string[] } };
}

for (const target of TARGETS)
  describe(`The image of the ${target}`, () => {
    const image = IMAGES[target];
    const inspected = (): Inspected => (JSON.parse(engineRun(engine, ['image', 'inspect', image])) as [Inspected])[0];

    it(`is no larger than ${MAX_SIZE / 1e6} MB`, (test) => {
      const { Size: size } = inspected();
      test.diagnostic(`${image}: ${(size / 1e6).toFixed(1)} MB`);
      assert.ok(size <= MAX_SIZE, String(size));
    });

    it('runs as uid 65532 and owns only the data', () => {
      assert.equal(inspected().Config.User, '65532:65532');
      const owned = entriesIn(target).filter(({ owner }) => owner === '65532/65532');
      const folder = target === 'bff' ? 'var/lib/pulse-bff/' : 'var/lib/pulse-service/';
      assert.deepEqual(
        owned.map(({ path }) => path),
        [folder],
      );
    });

    it('doesn’t contain a shell, package manager, source code, type declarations, or source maps', () => {
      assert.deepEqual(
        filesIn(target).filter((file) => FOREIGN_FILES.test(file)),
        [],
      );
    });

    it('doesn’t contain development packages', (test) => {
      const installed = packagesIn(target);
      test.diagnostic(`${installed.length} packages: ${installed.join(' ')}`);
      assert.deepEqual(
        installed.filter((name) => developmentPackages().has(name)),
        [],
      );
      assert.ok(installed.includes('zod'));
    });

    it('doesn’t contain a secret file in any layer or a secret in a build command', () => {
      const { stdout } = shell(
        `${engine.command.join(' ')} save ${image} | tar -xO | gzip -dcf 2>/dev/null | grep -c -a ${CANARY}`,
      );
      assert.equal(stdout.trim(), '0');
      assert.ok(!engineRun(engine, ['history', '--no-trunc', image]).includes(CANARY));
    });

    it('prints one line and exits with code 2 if the configuration is invalid', () => {
      const { status, stderr } = runOnce(target, ['--env', 'PORT=no-port']);
      assert.match(stderr, /PORT: must be/);
      assert.equal(status, 2);
    });
  });

describe('The two images, run with a read-only root file system and without capabilities', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-image-test-'));
  const containers: string[] = [];
  let serviceUrl = '';
  let bffUrl = '';
  let bff = '';

  before(async () => {
    chmodSync(folder, 0o755);
    const [port, altPort, bffPort, adminPort] = await Promise.all([1, 2, 3, 4].map(freePort));
    serviceUrl = `http://localhost:${port}`;
    bffUrl = `http://localhost:${bffPort}`;
    writeFileSync(join(folder, 'import.json'), JSON.stringify(importDocument('1')));
    const data = ['--volume', 'pulse-test-data:/var/lib/pulse-service'];
    once('service', [...data, '--volume', `${folder}:/import:ro`], ['import', '/import/import.json']);
    const key = once('service', data, ['keys', 'create', '--account', 'acc_1']);
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets/pulse-key'), key, { mode: 0o444 });
    start('service', [...data, ...variables({ PORT: port, ALT_PORT: altPort, PUBLIC_URL: serviceUrl })]);
    await until('the service is healthy', () => isHealthy(containers[0]));
    const bffVariables = {
      PULSE_API_KEY_FILE: '/run/secrets/pulse-key',
      PULSE_BASE_URL: serviceUrl,
      PORT: bffPort,
      PULSE_ADMIN_PORT: adminPort,
    };
    bff = start('bff', [
      '--volume',
      `${folder}/secrets:/run/secrets:ro`,
      '--volume',
      'pulse-test-state:/var/lib/pulse-bff',
      ...variables(bffVariables),
    ]);
  });

  after(() => {
    for (const container of containers) engineRun(engine, ['rm', '--force', container]);
    rmSync(folder, { recursive: true });
  });

  it('serve a pulse and pass their own health checks', async (test) => {
    const startedAt = performance.now();
    await until('there is a pulse', async () => (await ask(`${bffUrl}/v1/sources/src_1/pulse`))?.status === 200);
    test.diagnostic(`first pulse ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after \`run\` returned`);
    await until('the BFF is healthy', () => isHealthy(bff));
    assert.equal((await ask(`${bffUrl}/pulse-card.js`))?.status, 200);
  });

  it('contain the licenses of Node and every package', () => {
    const program = `console.log(fs.readFileSync('/app/THIRD-PARTY-NOTICES.txt', 'utf8'), fs.existsSync('/usr/local/share/doc/node/LICENSE'))`;
    for (const [target, container] of [
      ['bff', bff],
      ['service', String(containers[0])],
    ] as const) {
      const { stdout } = inContainer(container, [NODE, '--eval', program]);
      const missing = packagesIn(target).filter(
        (name) => !name.startsWith('@pulse-card/') && !stdout.includes(`\n${name} `),
      );
      assert.deepEqual(missing, []);
      assert.match(stdout, /true\s*$/);
    }
  });

  it('can run the command that checks the key', () => {
    const { status, stdout } = inContainer(bff, [NODE, '/app/dist/main.js', 'check']);
    assert.deepEqual([status, /The key works/.test(stdout)], [0, true]);
  });

  it('write only to their volumes', () => {
    const { stdout } = inContainer(bff, [
      NODE,
      '--eval',
      `
      const fs = require('node:fs');
      try { fs.writeFileSync('/app/x', ''); } catch (error) { console.log(error.code, fs.readdirSync('/var/lib/pulse-bff').length > 0); }
    `,
    ]);
    assert.equal(stdout.trim(), 'EROFS true');
  });

  it('stop on SIGTERM when running as PID 1, even with an open connection', async (test) => {
    const open = await fetch(`${bffUrl}/v1/sources`);
    assert.equal(
      inContainer(bff, [
        NODE,
        '--eval',
        'console.log(require("node:fs").readFileSync("/proc/1/cmdline", "utf8"))',
      ]).stdout.includes('main.js'),
      true,
    );
    for (const container of containers.toReversed()) {
      const startedAt = performance.now();
      engineRun(engine, ['stop', '--time', '30', container]);
      test.diagnostic(
        `${container === bff ? 'bff' : 'service'}: exit ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after SIGTERM`,
      );
      assert.equal(engineRun(engine, ['inspect', '--format', '{{.State.ExitCode}}', container]), '0');
    }
    await open.body?.cancel();
  });

  it('serve stored responses from the volume after a restart while the service is down', async () => {
    engineRun(engine, ['start', bff]);
    await until('there is the last pulse', async () => (await ask(`${bffUrl}/v1/sources/src_1/pulse`))?.status === 200);
  });

  function start(target: ImageTarget, args: readonly string[]): string {
    const container = engineRun(engine, ['run', '--detach', ...CONFINED, ...args, IMAGES[target]]);
    containers.push(container);
    return container;
  }
});

/**
 * The options that the README uses to run the images. In addition, the containers use the host's network, so that this
 * process can send requests to them.
 */
const CONFINED = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--network=host',
  ...engine.runArguments,
];

function once(target: ImageTarget, args: readonly string[], command: readonly string[]): string {
  return engineRun(engine, ['run', '--rm', ...CONFINED, ...args, IMAGES[target], ...command]);
}

function runOnce(target: ImageTarget, args: readonly string[]): { status: number | null; stderr: string } {
  const [program = '', ...before] = engine.command;
  const all = [...before, 'run', '--rm', ...CONFINED, ...args, IMAGES[target]];
  return spawnSync(program, all, { encoding: 'utf8' });
}

function inContainer(container: string, command: readonly string[]): { status: number | null; stdout: string } {
  const [program = '', ...before] = engine.command;
  return spawnSync(program, [...before, 'exec', container, ...command], { encoding: 'utf8' });
}

/** Runs the health check in a container's image the way a container engine does. */
function isHealthy(container = ''): Promise<boolean> {
  const [inspected] = JSON.parse(engineRun(engine, ['inspect', container])) as [Inspected];
  const [kind, ...command] = inspected.Config.Healthcheck?.Test ?? [];
  assert.equal(kind, 'CMD');
  return Promise.resolve(inContainer(container, command).status === 0);
}

function variables(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--env', `${name}=${String(value)}`]);
}

/** A container's files, each with its owner's and its group's ID. */
function entriesIn(target: ImageTarget): { path: string; owner: string }[] {
  const container = engineRun(engine, ['create', ...engine.runArguments, IMAGES[target]]);
  const { stdout } = shell(`${engine.command.join(' ')} export ${container} | tar -tv --numeric-owner`);
  engineRun(engine, ['rm', container]);
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => {
    const [, owner = '', , , , path = ''] = line.split(/\s+/);
    return { path, owner };
  });
}

function filesIn(target: ImageTarget): string[] {
  return entriesIn(target).flatMap(({ path }) => (path.endsWith('/') ? [] : [path]));
}

function packagesIn(target: ImageTarget): string[] {
  const names = filesIn(target).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** The packages that the repository needs only for development. */
function developmentPackages(): Set<string> {
  const folders = ['.', ...globSync('packages/!(testkit)', { cwd: ROOT })];
  const manifests = folders.map(
    (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest,
  );
  const needed = new Set(manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies)));
  const all = manifests.flatMap(({ devDependencies = {} }) => Object.keys(devDependencies));
  return new Set(all.filter((name) => !needed.has(name)));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function shell(command: string): { stdout: string } {
  return spawnSync('sh', ['-c', command], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function ask(url: string): Promise<Response | undefined> {
  return fetch(url).catch(() => undefined);
}
