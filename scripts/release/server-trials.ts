import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importDocument } from '../../packages/testkit/src/import-document.ts';
import { freePort } from '../free-port.ts';
import { ROOT } from '../run.ts';
import type { Consumer } from '../../packages/testkit/src/registry/consumer.ts';
import type { Results } from './results.ts';

const KEY_FILE = 'pulse-key';
const SECRET = 'for-tests-alone-and-known-to-everyone';
const ORIGIN_VARIABLE = 'PULSE_ALLOWED_ORIGINS';

/** The servers that the tested pages send their requests to. */
export interface RunningServers {
  readonly bffUrl: string;
  /** The variables with which another BFF can reach the service. */
  readonly bffEnv: Readonly<Record<string, string>>;
}

/** Starts the service and the BFF with npx, in the folder of `consumer`, for pages on `origin`. */
export async function tryServers(consumer: Consumer, results: Results, origin: string): Promise<RunningServers> {
  const [port, altPort, bffPort, adminPort] = await Promise.all([1, 2, 3, 4].map(freePort));
  const serviceUrl = `http://localhost:${port}`;
  const bffUrl = `http://localhost:${bffPort}`;
  const bffEnv = { PULSE_API_KEY_FILE: join(consumer.folder, KEY_FILE), PULSE_BASE_URL: serviceUrl };
  const serveEnv = { PORT: String(bffPort), PULSE_ADMIN_PORT: String(adminPort), [ORIGIN_VARIABLE]: origin };
  await results.try('service', 'npm install @pulse-card/service @pulse-card/bff', async () => {
    await consumer.install('@pulse-card/service', '@pulse-card/bff');
    const [size] = (await consumer.run('du', ['-sm', 'node_modules'])).split('\t');
    return `${size} MB`;
  });
  await results.try('service', 'npx pulse-service import, keys create', async () => {
    consumer.write('pulses.json', JSON.stringify(importDocument('us_employment', 'seattle_rain')));
    await consumer.run('npx', ['pulse-service', 'import', 'pulses.json']);
    consumer.write(KEY_FILE, await consumer.run('npx', ['pulse-service', 'keys', 'create', '--account', 'acc_1']));
    return 'a key';
  });
  await results.try('service', 'npx pulse-service serve', async () => {
    const env = { PORT: String(port), ALT_PORT: String(altPort) };
    await consumer.serve('npx', ['pulse-service', 'serve'], `${serviceUrl}/healthz`, env);
    return 'healthy';
  });
  await results.try('bff', 'npx pulse-bff check', async () => {
    const said = await consumer.run('npx', ['pulse-bff', 'check'], bffEnv);
    if (!said.includes('The key works')) throw new Error(said);
    return 'the key works';
  });
  await results.try('bff', 'npx pulse-bff serve', async () => {
    await consumer.serve('npx', ['pulse-bff', 'serve'], `${bffUrl}/readyz`, { ...bffEnv, ...serveEnv });
    return pulseAt(bffUrl);
  });
  return { bffUrl, bffEnv };
}

/** Installs the BFF as the systemd unit describes, and starts it with the unit's command. */
export async function trySystemdUnit(
  consumer: Consumer,
  results: Results,
  bffEnv: RunningServers['bffEnv'],
): Promise<void> {
  const unit = readFileSync(join(ROOT, 'deploy/systemd/pulse-bff.service'), 'utf8');
  const [, command = ''] = /^ExecStart=\/usr\/bin\/node \/opt\/pulse-card\/(.+)$/m.exec(unit) ?? [];
  const [port, adminPort] = await Promise.all([freePort(), freePort()]);
  await results.try('bff', 'npm install --omit=dev, with nothing else', async () => {
    await consumer.run('npm', ['install', '--omit=dev', '@pulse-card/bff']);
    const [size] = (await consumer.run('du', ['-sm', 'node_modules'])).split('\t');
    return `${size} MB`;
  });
  await results.try('bff', 'ExecStart of the systemd unit', async () => {
    const env = { ...bffEnv, ...unitEnvironment(), PORT: String(port), PULSE_ADMIN_PORT: String(adminPort) };
    const state = join(consumer.folder, 'state');
    const url = `http://127.0.0.1:${port}`;
    await consumer.serve('node', command.split(' '), `${url}/readyz`, { ...env, PULSE_STATE_DIR: state });
    return pulseAt(url);
  });
}

/** The variables in the unit's file, without the address of the service. */
function unitEnvironment(): Record<string, string> {
  const text = readFileSync(join(ROOT, 'deploy/systemd/bff.env'), 'utf8');
  const lines = Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(lines.filter(([name]) => name !== 'PULSE_BASE_URL'));
}

/** Runs each program with a Node that is too old, and checks that the program prints a single line. */
export async function tryOlderNode(consumer: Consumer, results: Results): Promise<void> {
  await consumer.install('@pulse-card/service', '@pulse-card/bff', '@pulse-card/mcp');
  for (const [name, program] of Object.entries({ bff: 'pulse-bff', service: 'pulse-service', mcp: 'pulse-mcp' }))
    await results.try(name, `${program} on a Node that is too old`, async () => {
      const message = await consumer.run(join('node_modules/.bin', program), []).then(
        () => 'ended well',
        (error: Error) => error.message,
      );
      const [first = '', ...lines] = message.split('\n');
      if (!first.endsWith('ended with 1:') || lines.length !== 1) throw new Error(message);
      return lines.join();
    });
}

const MOUNT = `import express from 'express';
import { createPulseBff } from '@pulse-card/bff';

const app = express();
app.use('/pulse', createPulseBff({ ...process.env, PULSE_PUBLIC_URL: 'http://localhost/pulse' }));
app.listen(Number(process.env['PORT']));
`;

const TS_PROJECTS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/**
 * Mounts the BFF in an Express application, in JavaScript and in TypeScript. Only the named packages are installed.
 */
export async function tryExpress(
  consumer: Consumer,
  results: Results,
  bffEnv: RunningServers['bffEnv'],
): Promise<void> {
  await consumer.install('@pulse-card/bff', 'express', 'typescript');
  for (const file of ['mount.js', 'mount.ts']) {
    consumer.write(file, MOUNT);
    await results.try('bff', `Express, ${file}`, async () => {
      const port = await freePort();
      const url = `http://localhost:${port}/pulse`;
      await consumer.serve('node', [file], `${url}/readyz`, { ...bffEnv, PORT: String(port) });
      return pulseAt(url);
    });
  }
  for (const [name, options] of Object.entries(TS_PROJECTS))
    await results.try('bff', `tsc, ${name}, including the types of libraries`, () =>
      compile(consumer, 'mount.ts', options),
    );
  consumer.write('mount.ts', mountExample());
  await consumer.install('express-session', '@types/express-session');
  for (const [name, options] of Object.entries(TS_PROJECTS))
    await results.try('bff', `tsc, ${name}: the example in the docs`, () => compile(consumer, 'mount.ts', options));
}

async function compile(consumer: Consumer, file: string, options: object): Promise<string> {
  const base = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    strict: true,
    noEmit: true,
    esModuleInterop: true,
  };
  const compilerOptions = { ...base, types: ['node'], ...options };
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
  await consumer.run('npx', ['tsc', '-p', 'tsconfig.json']);
  return 'no error';
}

function mountExample(): string {
  const page = readFileSync(join(ROOT, 'docs/private/mount.md'), 'utf8');
  const [, example] = /<!-- example: [^>]+ -->\n```ts\n([^]*?)```/.exec(page) ?? [];
  if (example === undefined) throw new Error('Cannot test the mounting example: docs/private/mount.md has no example');
  return example;
}

/** Mints a token in one process, and sends it to a BFF that requires tokens. */
export async function tryTokens(consumer: Consumer, results: Results, bffEnv: RunningServers['bffEnv']): Promise<void> {
  await results.try('bff', 'PULSE_ACCESS=token, with a token from @pulse-card/token', async () => {
    const [port, adminPort] = await Promise.all([freePort(), freePort()]);
    const url = `http://localhost:${port}`;
    const keys = consumer.write('token-keys.json', JSON.stringify([{ kid: 'portal', secret: SECRET }]));
    const access = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: keys, PULSE_PUBLIC_URL: url };
    const ports = { PORT: String(port), PULSE_ADMIN_PORT: String(adminPort) };
    await consumer.serve('npx', ['pulse-bff', 'serve'], `${url}/readyz`, { ...bffEnv, ...access, ...ports });
    consumer.write(
      'mint.js',
      `import { mintToken } from '@pulse-card/token';
      const key = { kid: 'portal', secret: '${SECRET}' };
      console.log(await mintToken(key, { audience: '${url}', sources: ['src_us_employment'] }));`,
    );
    const token = await consumer.run('node', ['mint.js']);
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/v1/sources/src_us_employment/pulse`, { headers })).status;
    const statuses = [await ask({}), await ask({ authorization: `Bearer ${token}` })].join(', ');
    if (statuses !== '401, 200') throw new Error(`Without a token, then with one: ${statuses}`);
    return '401 without, 200 with';
  });
}

async function pulseAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/v1/sources/src_us_employment/pulse`);
  const { pulse } = (await answer.json()) as { pulse?: { sourceName: string } };
  if (pulse === undefined) throw new Error(`${url} returned ${answer.status} without a pulse`);
  return `pulse of ${pulse.sourceName}`;
}
