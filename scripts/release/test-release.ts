// Rehearses a release: publishes all packages to a registry on this machine, first without a changeset, as a release
// does, and then with one. Uses each release like its users, on the oldest supported Node and on the repository's.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { chromium } from '@playwright/test';
import { freePort, freePorts } from '../../packages/testkit/src/free-port.ts';
import { openHostSite } from '../../packages/testkit/src/host-site.ts';
import { importDocument } from '../../packages/testkit/src/import-document.ts';
import { Consumer } from '../../packages/testkit/src/registry/consumer.ts';
import { startRegistry } from '../../packages/testkit/src/registry/registry.ts';
import { runIn } from '../../packages/testkit/src/registry/run-in.ts';
import { copyWorkTree } from '../../packages/testkit/src/work-tree-copy.ts';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { provideBrowser } from '../setup/programs.ts';
import { addressFields, readProject } from './project.ts';
import { publishedPackages } from './published-packages.ts';

/** A version of Node that is too old to load the programs. */
const TOO_OLD = '20.9.0';

const WANTED_FILES = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist/THIRD-PARTY-NOTICES.txt'];
/** The fields that contain the project's URL are missing until the project has one. */
const ADDRESS_FIELDS = Object.keys(addressFields(readProject(), ''));
const WANTED_FIELDS = ['description', 'keywords', 'license', 'author', 'engines', ...ADDRESS_FIELDS];

/** Matches a file that only a build or a test needs. `@pulse-card/bff/testing` is `testing/test-upstream`. */
const FOREIGN_FILE = /\.tsbuildinfo$|\.test\.|\/testing\/(?!test-upstream\.)|\.env/;

/** The URL at which the examples expect a BFF. */
const EXAMPLE_BFF = 'http://localhost:4020';
const SOURCE = 'src_us_employment';

const executablePath = await provideBrowser();
if (executablePath === undefined) throw new Error('Cannot test a release: no browser was found or could be installed');

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

for (const [what, node, prepare] of [
  ['A release without changesets', '22.19.0', () => {}],
  ['A release with a changeset', '24.21.0', bumpVersions],
] as const)
  describe(`${what}, on Node ${node}`, () => {
    let nodeFolder = '';
    let servers: Consumer;
    let bffUrl = '';
    let bffEnv: Readonly<Record<string, string>> = {};
    const opened: Consumer[] = [];
    const open = async (...packages: readonly string[]): Promise<Consumer> => {
      const consumer = new Consumer(registry, nodeFolder);
      opened.push(consumer);
      if (packages.length > 0) await consumer.install(...packages);
      return consumer;
    };

    before(async () => {
      await prepare();
      await publishAll();
      nodeFolder = await installNode(node);
      servers = await open('@pulse-card/service', '@pulse-card/bff');
      opened.pop();
      ({ bffUrl, bffEnv } = await startServers(servers));
    });
    after(() => servers.close());
    afterEach(async () => {
      for (const consumer of opened.splice(0)) await consumer.close();
    });

    for (const name of publishedPackages())
      it(`has the files and the package.json that ${name} needs, and no others`, () => inspectTarball(name));

    it('has a pulse-bff check that accepts the key', async () =>
      assert.match(await servers.run('npx', ['pulse-bff', 'check'], bffEnv), /The key works/));

    it('serves pulses', async () => assertServes(bffUrl));

    it('mints tokens with @pulse-card/token that a BFF with PULSE_ACCESS=token accepts', async () => {
      const [port, adminPort] = await freePorts(2);
      const url = `http://localhost:${port}`;
      const key = { kid: 'portal', secret: 'for-tests-only-and-known-to-everyone' };
      await servers.serve('npx', ['pulse-bff', 'serve'], `${url}/readyz`, {
        ...bffEnv,
        PULSE_ACCESS: 'token',
        PULSE_TOKEN_KEYS_FILE: servers.write('keys.json', JSON.stringify([key])),
        PULSE_PUBLIC_URL: url,
        PORT: String(port),
        PULSE_ADMIN_PORT: String(adminPort),
      });
      servers.write(
        'mint.js',
        `import { mintToken } from '@pulse-card/token';
        console.log(await mintToken(${JSON.stringify(key)}, { audience: '${url}', sources: ['${SOURCE}'] }));`,
      );
      const authorization = `Bearer ${await servers.run('node', ['mint.js'])}`;
      const statuses = [{}, { authorization }].map(async (headers) => (await fetch(pulseUrl(url), { headers })).status);
      assert.deepEqual(await Promise.all(statuses), [401, 200]);
    });

    it('shows pulses in a chat: npx pulse-mcp, and the sample in the README', async () => {
      const consumer = await open('@pulse-card/mcp');
      const sdk = ['client', 'node', 'server'].map((name) => `@modelcontextprotocol/${name}`);
      await consumer.install(...sdk, 'express');
      consumer.write(
        'stdio.js',
        chatClient(
          'stdio',
          `StdioClientTransport({ command: 'npx', args: ['pulse-mcp', '--bff', '${bffUrl}'], env: { ...process.env } })`,
        ),
      );
      assert.match(await consumer.run('node', ['stdio.js']), /^text, app of \d+ kB$/);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/mcp`;
      consumer.write('sample.js', chatSample(bffUrl, port));
      // The readiness check sends a GET request, as a browser does, which the handler rejects with an error.
      await consumer.serve('node', ['sample.js'], url, {});
      consumer.write('http.js', chatClient('http', `StreamableHTTPClientTransport(new URL('${url}'))`));
      assert.match(await consumer.run('node', ['http.js']), /^text, app of \d+ kB$/);
    });

    it('runs as the systemd unit describes', async () => {
      const consumer = await open();
      await consumer.run('npm', ['install', '--omit=dev', '@pulse-card/bff']);
      const unit = textOf('deploy/systemd/pulse-bff.service');
      const [, command = ''] = /^ExecStart=\/usr\/bin\/node \/opt\/pulse-card\/(.+)$/m.exec(unit) ?? [];
      const lines = textOf('deploy/systemd/bff.env').matchAll(/^(\w+)=(.*)$/gm);
      const unitEnv = Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]));
      const [port, adminPort] = await freePorts(2);
      const ports = { PORT: String(port), PULSE_ADMIN_PORT: String(adminPort) };
      const env = { ...unitEnv, ...bffEnv, ...ports, PULSE_STATE_DIR: join(consumer.folder, 'state') };
      await consumer.serve('node', command.split(' '), `http://127.0.0.1:${port}/readyz`, env);
      await assertServes(`http://127.0.0.1:${port}`);
    });

    it('mounts in Express, in JavaScript and in TypeScript, and compiles with the types of libraries', async () => {
      const consumer = await open('@pulse-card/bff', 'express', 'typescript');
      for (const file of ['mount.js', 'mount.ts']) {
        consumer.write(file, MOUNT);
        const port = await freePort();
        const url = `http://localhost:${port}/pulse`;
        await consumer.serve('node', [file], `${url}/readyz`, { ...bffEnv, PORT: String(port) });
        await assertServes(url);
      }
      await compile(consumer, 'mount.ts');
      const [, example] = /<!-- example: [^>]+ -->\n```ts\n([^]*?)```/.exec(textOf('docs/private/mount.md')) ?? [];
      assert.ok(example !== undefined);
      consumer.write('mount.ts', example);
      await consumer.install('express-session', '@types/express-session');
      await compile(consumer, 'mount.ts');
    });

    for (const name of ['vanilla', 'react', 'vue', 'svelte'])
      it(`is bundled by Vite: ${name}`, async () => {
        const consumer = await open();
        if (name === 'vanilla') for (const [file, text] of Object.entries(VANILLA)) consumer.write(file, text);
        else cpSync(join(ROOT, 'examples', name), consumer.folder, { recursive: true, filter: isSource });
        adaptExample(consumer.folder, bffUrl);
        await consumer.install();
        await consumer.run('npx', ['vite', 'build', '--base', './']);
        site.putFolder(`/${name}`, join(consumer.folder, 'dist'));
        await assertReady(`/${name}/index.html`);
      });

    it('renders a card on a server, which the element adopts', async () => {
      const consumer = await open('@pulse-card/widget');
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
    });

    it('can be pinned by integrity, so that a browser rejects pulse-card.js if one byte differs', async () => {
      const consumer = await open('@pulse-card/widget');
      const dist = join(consumer.folder, 'node_modules/@pulse-card/widget/dist');
      const script = readFileSync(join(dist, 'pulse-card.js'), 'utf8');
      const digest = `sha384-${createHash('sha384').update(script).digest('base64')}`;
      const card = `<pulse-card source-id="${SOURCE}" base-url="${bffUrl}">Fallback</pulse-card>`;
      for (const [path, text] of Object.entries({ '/whole.js': script, '/flipped.js': script.replace(';', ' ;') })) {
        site.put(path, text, { 'content-type': 'text/javascript' });
        site.put(
          `${path}.html`,
          pageWith(`<script type="module" src="${path}" integrity="${digest}"></script>${card}`),
        );
      }
      await assertReady('/whole.js.html');
      const page = await browser.newPage();
      await page.goto(`${site.origin}/flipped.js.html`, { waitUntil: 'networkidle' });
      assert.equal(await page.locator('pulse-card').innerText(), 'Fallback');
      await page.close();
    });
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

/** Adds a changeset, and runs the workflow's command that creates versions from changesets. */
async function bumpVersions(): Promise<void> {
  const names = publishedPackages().map((name) => `'@pulse-card/${name}': minor`);
  writeFileSync(join(copy, '.changeset/rehearsal.md'), `---\n${names.join('\n')}\n---\n\nA rehearsal.\n`);
  await runCommand(stepIn('versions', 'changesets').with?.['version-script'] ?? '');
}

/** Builds and publishes the packages of the copy with the workflow's commands. */
async function publishAll(): Promise<void> {
  rmSync(join(copy, 'packs'), { recursive: true, force: true });
  await runCommand('npm run build');
  await runCommand(stepIn('build', 'pack').run ?? '');
  await runCommand(`set -e\n${stepIn('packages', 'publish').run}`, registry.env);
}

/** Installs a version of Node as an npm package. Resolves to the folder of its program. */
async function installNode(version: string): Promise<string> {
  const prefix = join(folder, version);
  await runIn(tmpdir(), 'npm', ['install', '--prefix', prefix, `node@${version}`], { env: registry.env });
  return join(prefix, 'node_modules/node/bin');
}

/** Downloads a package from the registry, and checks its files and its manifest. */
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

/** Requests a pulse and its app from an MCP server with the SDK's client. */
function chatClient(over: 'stdio' | 'http', transport: string): string {
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const client = new Client({ name: 'rehearsal over ${over}', version: '1.0.0' });
await client.connect(new ${transport});
const { content } = await client.callTool({ name: 'get_pulse', arguments: { sourceId: '${SOURCE}' } });
const [{ uri }] = (await client.listResources()).resources;
const [{ text }] = (await client.readResource({ uri })).contents;
await client.close();
console.log(content.map(({ type }) => type).join(' and ') + ', app of ' + Math.round(text.length / 1000) + ' kB');
`;
}

/** The sample in the README of @pulse-card/mcp, with the URL of this BFF and a free port. */
function chatSample(bffUrl: string, port: number): string {
  const [, sample = ''] = /^```ts\n([^]*?)^```$/m.exec(textOf('packages/mcp/README.md')) ?? [];
  return sample
    .replace('https://pulse.example.com', bffUrl)
    .replace('mcp.example.com', '127.0.0.1')
    .replace('3000', String(port));
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

const VANILLA = {
  'package.json':
    '{ "private": true, "dependencies": { "@pulse-card/widget": "workspace:^" }, "devDependencies": { "vite": "catalog:" } }',
  'index.html': pageWith(
    `<script type="module" src="/main.js"></script><pulse-card source-id="${SOURCE}" base-url="${EXAMPLE_BFF}"></pulse-card>`,
  ),
  'main.js': `import '@pulse-card/widget';`,
};

function isSource(path: string): boolean {
  return !/node_modules|\/dist(\/|$)/.test(path.slice(ROOT.length));
}

/** Sets the versions that a reader of the example would install, and the URL of this BFF. */
function adaptExample(example: string, bffUrl: string): void {
  const { catalog } = parse(textOf('pnpm-workspace.yaml')) as { catalog: Record<string, string> };
  for (const file of globSync('**/*.*', { cwd: example, exclude: ['**/node_modules/**'] })) {
    const text = readFileSync(join(example, file), 'utf8');
    const versions = text.replace(
      /"([^"]+)":\s*"(catalog:|workspace:[^"]*)"/g,
      (_, name: string) => `"${name}": "${catalog[name] ?? 'latest'}"`,
    );
    writeFileSync(join(example, file), versions.replaceAll(EXAMPLE_BFF, bffUrl));
  }
}

function pageWith(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody's page</title>${body}</html>`;
}

/** Opens a page, and rejects if its card doesn't become ready. */
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
