// Rehearses a release: adds a changeset, publishes all packages to a registry on this machine with the workflow's
// commands, and uses them the way their users do, on the oldest supported Node version.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from '@playwright/test';
import { freePort, freePorts } from '@pulse-card/testkit/free-port';
import { openHostSite } from '@pulse-card/testkit/host-site';
import { importDocument } from '@pulse-card/testkit/import-document';
import { Consumer } from '@pulse-card/testkit/registry/consumer';
import { startRegistry } from '@pulse-card/testkit/registry/registry';
import { runIn } from '@pulse-card/testkit/registry/run-in';
import { copyWorkTree } from '@pulse-card/testkit/work-tree-copy';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { provideBrowser } from '@pulse-card/testkit/system/programs';
import { publishedPackages } from './published-packages.ts';

const OLDEST_NODE = '22.19.0';
/** A version of Node that is too old to load the programs. */
const TOO_OLD = '20.19.0';

const WANTED_FILES = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist/THIRD-PARTY-NOTICES.txt'];
const WANTED_FIELDS = ['description', 'keywords', 'license', 'author', 'engines'];

/** Matches a file that only a build or a test needs. `@pulse-card/bff/testing` is `testing/test-upstream`. */
const FOREIGN_FILE = /\.tsbuildinfo$|\.test\.|\/testing\/(?!test-upstream\.)|\.env/;

const SOURCE = 'src_us_employment';

const executablePath = provideBrowser();
if (executablePath === undefined) throw new Error('Can’t test a release: no browser was found or could be installed');

const folder = mkdtempSync(join(tmpdir(), 'pulse-release-'));
const copy = copyWorkTree();
const registry = await startRegistry(join(folder, 'registry'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
const site = await openHostSite(await freePort());
const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as Workflow;

before(async () => {
  await runIn(copy, 'git', ['init', '--quiet', '--initial-branch', 'main']);
  await runIn(copy, 'node', ['scripts/install.js', 'all', 'with-node']);
});
after(async () => {
  await Promise.all([browser.close(), registry.close(), site.close()]);
  for (const used of [folder, copy]) rmSync(used, { recursive: true, force: true });
});

describe('A release', () => {
  let nodeFolder = '';
  let servers: Consumer;
  let bffUrl = '';
  let bffEnv: Readonly<Record<string, string>> = {};

  before(async () => {
    await bumpVersions();
    await publishAll();
    nodeFolder = await installNode(OLDEST_NODE);
    servers = new Consumer(registry, nodeFolder);
    await servers.install('@pulse-card/service', '@pulse-card/bff');
    ({ bffUrl, bffEnv } = await startServers(servers));
  });
  after(() => servers.close());

  /** Installs packages in a new folder and removes the folder afterward. */
  async function withInstalled(packages: readonly string[], use: (consumer: Consumer) => Promise<void>) {
    const consumer = new Consumer(registry, nodeFolder);
    try {
      await consumer.install(...packages);
      await use(consumer);
    } finally {
      await consumer.close();
    }
  }

  for (const name of publishedPackages())
    it(`has exactly the files and the package.json that ${name} needs`, () => inspectTarball(name));

  it('has a pulse-bff check that accepts the key, and serves pulses', async () => {
    assert.match(await servers.run('npx', ['pulse-bff', 'check'], bffEnv), /The key works/);
    await assertServes(bffUrl);
  });

  it('shows pulses in a chat', () =>
    withInstalled(['@pulse-card/mcp', '@modelcontextprotocol/client'], async (consumer) => {
      consumer.write('chat.js', chatClient(bffUrl));
      assert.equal(await consumer.run('node', ['chat.js']), 'text');
    }));

  it('mounts in Express and compiles with the types of libraries', () =>
    withInstalled(
      ['@pulse-card/bff', 'express', 'express-session', '@types/express-session', 'typescript'],
      async (consumer) => {
        consumer.write('mount.js', MOUNT);
        const port = await freePort();
        const url = `http://localhost:${port}/pulse`;
        await consumer.serve('node', ['mount.js'], `${url}/readyz`, { ...bffEnv, PORT: String(port) });
        await assertServes(url);
        const [, example] = /<!-- example: [^>]+ -->\n```ts\n([^]*?)```/.exec(textOf('docs/private/mount.md')) ?? [];
        assert.ok(example !== undefined);
        consumer.write('mount.ts', example);
        await compile(consumer, 'mount.ts');
      },
    ));

  it('renders a card on a server, which the element adopts', () =>
    withInstalled(['@pulse-card/widget'], async (consumer) => {
      consumer.write(
        'render.js',
        `import { renderPulseCard } from '@pulse-card/widget/server';
        const answer = await (await fetch('${pulseUrl(bffUrl)}')).json();
        console.log(renderPulseCard(answer, { sourceId: '${SOURCE}', baseUrl: '${bffUrl}' }));`,
      );
      const html = await consumer.run('node', ['render.js']);
      assert.match(html, /shadowrootmode[^]*Up by 2/);
      site.put('/rendered', pageWith(`${html}<script type="module" src="${bffUrl}/pulse-card.js"></script>`));
      await assertReady('/rendered');
    }));
});

describe('What a release adds', () => {
  it('has notes with the digests of both scripts', async () => {
    const notes = await runCommand('npm run -s release-notes');
    assert.equal(notes.match(/integrity="sha384-/g)?.length, 2);
  });

  it('has a bill of materials (CycloneDX)', async () => {
    const { components } = JSON.parse(await runCommand('npm run -s sbom')) as { components: { name: string }[] };
    for (const name of ['express', 'lit', 'zod'])
      assert.ok(
        components.some((one) => one.name === name),
        name,
      );
  });
});

describe(`On Node ${TOO_OLD}`, () => {
  let consumer: Consumer;
  before(async () => {
    consumer = new Consumer(registry, await installNode(TOO_OLD));
    await consumer.install('@pulse-card/service', '@pulse-card/bff', '@pulse-card/mcp');
  });
  after(() => consumer.close());

  for (const program of ['pulse-bff', 'pulse-service', 'pulse-mcp'])
    it(`${program} prints one line`, () =>
      assert.rejects(consumer.run(join('node_modules/.bin', program), []), /ended with 1:\n[^\n]+ needs Node [^\n]+$/));

  it('createPulseBff() says which version it needs', () => {
    const script = "import('@pulse-card/bff').then(({ createPulseBff }) => createPulseBff({}))";
    return assert.rejects(consumer.run('node', ['-e', script]), /createPulseBff\(\) needs Node/);
  });
});

interface Job {
  readonly steps: readonly { readonly id?: string; readonly run?: string; readonly with?: Record<string, string> }[];
}

interface Workflow {
  readonly jobs: Readonly<Record<'build' | 'versions' | 'packages', Job>>;
}

/** A step of the release workflow. */
function stepIn(job: keyof Workflow['jobs'], id: string): Job['steps'][number] {
  const step = jobs[job].steps.find((one) => one.id === id);
  assert.ok(step, `release.yml has no step "${id}"`);
  return step;
}

/** Runs a command the way a workflow step does: with a `PATH` that doesn't contain anything from this repository. */
function runCommand(command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.startsWith(ROOT));
  return runIn(copy, 'sh', ['-c', command], { env: { ...env, PATH: path.join(':'), CI: 'true' } });
}

/** Adds a changeset and runs the workflow's command that creates versions from changesets. */
async function bumpVersions(): Promise<void> {
  const names = publishedPackages().map((name) => `'@pulse-card/${name}': minor`);
  writeFileSync(join(copy, '.changeset/rehearsal.md'), `---\n${names.join('\n')}\n---\n\nA rehearsal.\n`);
  await runCommand(stepIn('versions', 'changesets').with?.['version-script'] ?? '');
}

/** Builds and publishes the copy's packages with the workflow's commands. */
async function publishAll(): Promise<void> {
  rmSync(join(copy, 'packs'), { recursive: true, force: true });
  await runCommand('npm run build');
  await runCommand(stepIn('build', 'pack').run ?? '');
  await runCommand(`set -e\n${stepIn('packages', 'publish').run}`, registry.env);
}

/** Installs a version of Node as an npm package. Resolves to the folder that contains its binary. */
async function installNode(version: string): Promise<string> {
  const prefix = join(folder, version);
  await runIn(tmpdir(), 'npm', ['install', '--prefix', prefix, `node@${version}`], { env: registry.env });
  return join(prefix, 'node_modules/node/bin');
}

/** Downloads a package from the registry and checks its files and its manifest. */
async function inspectTarball(name: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(copy, 'packages', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  const place = join(folder, 'tarballs', `${name}-${version}`);
  mkdirSync(place, { recursive: true });
  await runIn(place, 'npm', ['pack', `@pulse-card/${name}@${version}`], { env: registry.env });
  await runIn(place, 'sh', ['-c', 'tar -xzf *.tgz']);
  const files = readdirSync(join(place, 'package'), { recursive: true, encoding: 'utf8' });
  const manifest = readFileSync(join(place, 'package/package.json'), 'utf8');
  const fields = Object.keys(JSON.parse(manifest) as object);
  const missing = [...WANTED_FILES, ...WANTED_FIELDS].filter((one) => !files.includes(one) && !fields.includes(one));
  assert.deepEqual([missing, files.filter((file) => FOREIGN_FILE.test(file))], [[], []]);
  assert.doesNotMatch(manifest, /"(?:workspace|catalog):/);
}

/** Starts the service and the BFF with npx. Resolves to the variables that another BFF needs to reach the service. */
async function startServers(consumer: Consumer) {
  const [port, altPort, bffPort, adminPort] = (await freePorts(4)).map(String) as [string, string, string, string];
  const serviceUrl = `http://localhost:${port}`;
  consumer.write('pulses.json', JSON.stringify(importDocument('us_employment', 'seattle_rain')));
  await consumer.run('npx', ['pulse-service', 'import', 'pulses.json']);
  const key = await consumer.run('npx', ['pulse-service', 'keys', 'create', '--account', 'acc_1']);
  const bffEnv = { PULSE_API_KEY_FILE: consumer.write('pulse-key', key), PULSE_BASE_URL: serviceUrl };
  const serve = { PORT: port, ALT_PORT: altPort };
  await consumer.serve('npx', ['pulse-service', 'serve'], `${serviceUrl}/healthz`, serve);
  const bffUrl = `http://localhost:${bffPort}`;
  const env = { ...bffEnv, PORT: bffPort, PULSE_ADMIN_PORT: adminPort, PULSE_ALLOWED_ORIGINS: site.origin };
  await consumer.serve('npx', ['pulse-bff', 'serve'], `${bffUrl}/readyz`, env);
  return { bffUrl, bffEnv };
}

/** Requests a pulse from `pulse-mcp` with the SDK's client and prints the types of its content. */
function chatClient(bffUrl: string): string {
  return `import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const client = new Client({ name: 'rehearsal', version: '1.0.0' });
const args = ['pulse-mcp', '--bff', '${bffUrl}'];
await client.connect(new StdioClientTransport({ command: 'npx', args, env: { ...process.env } }));
const { content } = await client.callTool({ name: 'get_pulse', arguments: { sourceId: '${SOURCE}' } });
await client.close();
console.log(content.map(({ type }) => type).join(' and '));
`;
}

const MOUNT = `import express from 'express';
import { createPulseBff } from '@pulse-card/bff';

const app = express();
app.use('/pulse', createPulseBff({ ...process.env, PULSE_PUBLIC_URL: 'http://localhost/pulse' }));
app.listen(Number(process.env['PORT']));
`;

async function compile(consumer: Consumer, file: string): Promise<void> {
  for (const resolution of [{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }]) {
    const lib = ['es2024', 'dom', 'dom.iterable'];
    const options = { target: 'es2024', lib, strict: true, noEmit: true, esModuleInterop: true, types: ['node'] };
    const compilerOptions = { ...options, ...resolution };
    consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
    await consumer.run('npx', ['tsc', '-p', 'tsconfig.json']);
  }
}

function pageWith(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody's page</title>${body}</html>`;
}

/** Opens a page and rejects if its card doesn't become ready. */
async function assertReady(path: string): Promise<void> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(site.origin + path);
  const isReady = () => (document.querySelector('pulse-card') as { state?: string } | null)?.state === 'ready';
  await page
    .waitForFunction(isReady)
    .catch(() => assert.fail(`The card on ${path} is not ready: ${faults.join('; ')}`));
  await page.close();
}

function pulseUrl(bffUrl: string): string {
  return `${bffUrl}/v1/sources/${SOURCE}/pulse`;
}

async function assertServes(bffUrl: string): Promise<void> {
  const response = await fetch(pulseUrl(bffUrl));
  assert.ok('pulse' in ((await response.json()) as object), `${bffUrl} responded with ${response.status}`);
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
