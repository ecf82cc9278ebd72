import assert from 'node:assert/strict';
import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../../testkit/src/until.ts';
import { packageVersion } from './lib/package-version.ts';
import { serve } from './testing/serve.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { startTestUpstream } from './testing/test-upstream.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const ARGS = ['--conditions=source', MAIN];
const PORTS = { HOST: '127.0.0.1', PORT: '0', PULSE_ADMIN_PORT: '0' };
/** With the compile cache, a process starts in half the time. */
const CACHE = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
/** How long a process may take to start or to exit. It takes longer only if it hangs. */
const LIMIT_MS = 60_000;
const UNREACHABLE = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: 'http://127.0.0.1:9', ...PORTS };

/** Runs a command to completion. */
function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...ARGS, ...words], {
    encoding: 'utf8',
    env: { ...CACHE, ...env },
    timeout: LIMIT_MS,
  });
  return { status, stdout, stderr };
}

/** A running server whose log a test can read. */
async function start(env: Readonly<Record<string, string>>) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [...ARGS, 'serve'], {
    env: { ...CACHE, PULSE_DRAIN_MS: '0', ...env, ...PORTS, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const world = { log: '' };
  child.stdout.on('data', (chunk: Buffer) => (world.log += String(chunk)));
  const wrote = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(world.log);
      if (found) return found;
      await once(child.stdout, 'data', { signal: AbortSignal.timeout(LIMIT_MS) });
    }
  };
  const [, port, adminPort] = await wrote(/"port":(\d+),"adminPort":(\d+)/);
  /** Resolves to the exit code. Rejects if the process doesn't exit. */
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) })) as [number | null];
    return code;
  };
  const kill = () => void child.kill('SIGKILL');
  return {
    child,
    world,
    wrote,
    stop,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    [Symbol.dispose]: kill,
  };
}

/** Waits until the server has begun to stop. */
function isStopping({ url }: { readonly url: string }): Promise<true> {
  const isTold = async () => (await (await fetch(`${url}/readyz`)).text()).includes('This server is stopping');
  return until('it is stopping', isTold);
}

describe('pulse-bff', () => {
  it('prints its version', () =>
    assert.deepEqual(run(['--version']), { status: 0, stdout: `${packageVersion()}\n`, stderr: '' }));

  it('prints one line with the required Node version if Node is too old', () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.18.0' })`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', old, ...ARGS], {
      encoding: 'utf8',
      env: CACHE,
    });
    assert.deepEqual([status, stdout, stderr], [1, '', 'pulse-bff needs Node 22.19 or newer; this is 22.18.0\n']);
  });

  it('exits with 2 for an unknown command and never repeats anything that could be a key', () => {
    const unknown = "unknown command 'chekc' (did you mean check?)\nRun pulse-bff --help for all commands\n";
    assert.deepEqual(run(['chekc']), { status: 2, stdout: '', stderr: unknown });
    const { status, stderr } = run(['serve', '--key=canary']);
    assert.deepEqual([status, /canary/.test(stderr)], [2, false]);
  });

  it('withholds and releases runs without touching other lines of the file, and reports what it did', () => {
    using folder = temporaryFolder();
    const env = { PULSE_WITHHELD_FILE: folder.file('withheld') };
    const withheld = run(['withhold', 'run_1'], env).stdout;
    assert.match(withheld, /^The file didn’t exist, so it was created\. The text of run_1 is withheld/);
    assert.match(run(['withhold', 'run_1'], env).stdout, /already withheld: nothing has changed/);
    const released = run(['release', 'run_1'], env).stdout;
    assert.match(released, /is restored\. Each BFF that reads this file picks up the change within 60 seconds/);
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), '');
    for (const bad of ['src_1', '../x']) assert.equal(run(['withhold', bad], env).status, 2);
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), '');
    assert.equal(run(['withhold', 'run_1']).status, 2);
    const { status, stderr } = run(['withhold', 'run_1'], { PULSE_WITHHELD_FILE: '/proc/nope/x' });
    const reason = 'Can’t change the file set in PULSE_WITHHELD_FILE: no such file or directory\n';
    assert.deepEqual([status, stderr], [1, reason]);
  });

  it('mints a token for the given sources and subject, and doesn’t print the secret', () => {
    using folder = temporaryFolder();
    const keys = folder.file('keys', JSON.stringify([{ kid: 'a', secret: 'a-canary-secret-of-32-bytes-or-more' }]));
    const env = { PULSE_PUBLIC_URL: 'https://pulse.test', PULSE_TOKEN_KEYS_FILE: keys };
    const words = ['token', 'mint', '--source', 'src_1', '--source', 'src_2', '--subject', 'u1'];
    const { status, stdout, stderr } = run(words, env);
    assert.equal(stderr, '');
    const { aud, sub, sources } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([status, aud, sub, sources], [0, 'https://pulse.test', 'u1', ['src_1', 'src_2']]);
    assert.doesNotMatch(stdout, /canary/);
    const assumed = 'PULSE_PUBLIC_URL isn’t set, so the token works only with a BFF at http://localhost:4999\n';
    assert.equal(run(words, { PORT: '4999', PULSE_TOKEN_KEYS_FILE: keys }).stderr, assumed);
  });

  it('exits with 2 if PORT isn’t the port whose health it can check, and with 1 if no instance has that port', () => {
    assert.equal(run(['health'], { PORT: '0' }).status, 2);
    const stderr = 'Can’t reach http://127.0.0.1:9/readyz (ECONNREFUSED)\n';
    assert.deepEqual(run(['health'], { HOST: '127.0.0.1', PORT: '9' }), { status: 1, stdout: '', stderr });
  });
});

describe('pulse-bff check', () => {
  it('lists the missing variables, mentions the status page, and exits with 2', () => {
    const { status, stderr } = run(['check'], { PULSE_ADMIN_PORT: '4999' });
    assert.equal(status, 2);
    assert.match(stderr, /^PULSE_BASE_URL: is required\nPULSE_API_KEY: is required .+\n.+http:\/\/localhost:4999\/\n$/);
  });

  it('exits with 1 and no stack trace if its output can’t be written, and quietly if the reading program has ended', async () => {
    await using service = await startTestUpstream();
    const env = { ...CACHE, ...service.variables, PATH: process.env['PATH'] ?? '' };
    // The service runs in this process, so this process must not be blocked.
    const inShell = async (output: string) => {
      const child = spawn('sh', ['-c', `{ "$@"; echo $? >&2; } ${output}`, 'sh', process.execPath, ...ARGS, 'check'], {
        env,
      });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
      await once(child, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
      return stderr;
    };
    assert.equal(await inShell('> /dev/full'), 'Can’t write the output (ENOSPC)\n1\n');
    assert.equal(await inShell('| true'), '0\n');
  });
});

describe('pulse-bff serve', () => {
  for (const variable of ['PORT', 'PULSE_ADMIN_PORT'])
    it(`exits with 1 and one line if the port of ${variable} is in use`, async () => {
      await using other = await serve(() => {});
      const { port } = new URL(other.url);
      const { status, stderr } = run(['serve'], { ...UNREACHABLE, [variable]: port });
      assert.equal(status, 1);
      assert.match(
        stderr,
        new RegExp(`^Can’t listen on port ${port} \\(${variable}, .+: address already in use .+\n$`),
      );
    });

  it('prints one line and exits with 2 if a file can’t be used, without waiting for a program to write to a pipe', () => {
    using folder = temporaryFolder();
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const access = (file: string) => file === 'PULSE_TOKEN_KEYS_FILE' && { PULSE_ACCESS: 'token' };
    for (const [file, path, fault] of [
      ['PULSE_WITHHELD_FILE', pipe, 'the file can’t be read: not a regular file'],
      ['REDIS_URL_FILE', '/proc', 'the file can’t be read: .* directory'],
      ['PULSE_ALERT_URL_FILE', pipe, 'the file can’t be read: not a regular file'],
      ['PULSE_TOKEN_KEYS_FILE', pipe, '.*not a regular file'],
    ] as const)
      assert.match(
        run(['serve'], { ...UNREACHABLE, ...access(file), [file]: path }).stderr,
        new RegExp(`^${file}: ${fault}[^\\n]*\\n$`),
        file,
      );
  });

  it('exits immediately on a second signal', async () => {
    using bff = await start({ ...UNREACHABLE, PULSE_DRAIN_MS: '5000' });
    bff.child.kill('SIGTERM');
    await isStopping(bff);
    // After the drain, the exit code would be 0.
    assert.equal(await bff.stop('SIGINT'), 1);
  });

  for (const [what, fail] of [
    ['error', 'throw'],
    ['rejection', 'Promise.reject'],
  ])
    it(`exits with 1 after an unhandled ${what}, without logging its message`, async () => {
      const thrown = `process.on('SIGUSR2', () => { ${fail}(new Error(['canary', 'text'].join('-'))); });`;
      using bff = await start({ ...UNREACHABLE, NODE_OPTIONS: `--import="data:text/javascript,${encodeURI(thrown)}"` });
      assert.equal(await bff.stop('SIGUSR2'), 1);
      assert.match(bff.world.log, /"level":60/);
      assert.doesNotMatch(bff.world.log, /canary-text/);
    });

  it('reports an open admin port and unknown variables, and rereads its files on SIGHUP without a terminal', async () => {
    using folder = temporaryFolder();
    const file = folder.file('withheld', 'run_1\n');
    const variables = { PULSE_WITHHELD_FILE: file, PULSE_KEY_RELOAD_MS: '3600000', PULSE_ADMIN_HOST: '0.0.0.0' };
    using bff = await start({ ...UNREACHABLE, ...variables, PULSE_SITE_1: 'x', PULSE_SITE_2: 'x' });
    for (const name of ['PULSE_SITE_1', 'PULSE_SITE_2']) assert.match(bff.world.log, new RegExp(`${name} isn’t`));
    await bff.wrote(/The admin port listens on 0\.0\.0\.0 .+ anyone who can reach this IP address/);
    folder.file('withheld', 'run_2\n');
    bff.child.kill('SIGHUP');
    await bff.wrote(/were reread \(SIGHUP\)/);
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as { withheld: { runs: string[] } };
    assert.deepEqual(status.withheld.runs, ['run_2']);
  });

  it('exits on a signal that arrives while it is starting', async () => {
    let [code, log] = await signalWhileStarting();
    // On a busy machine, the signal may be sent too late.
    for (let tries = 0; tries < 5 && log !== ''; tries += 1) [code, log] = await signalWhileStarting();
    assert.deepEqual([code, log], [0, '']);
  });

  /** The exit code and the log of a process that gets a signal as soon as it can handle one. */
  async function signalWhileStarting(): Promise<[code: number, log: string]> {
    const child = spawn(process.execPath, [...ARGS, 'serve'], {
      env: { ...CACHE, ...UNREACHABLE },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += String(chunk)));
    // The process catches SIGHUP as soon as it runs our code.
    const caught = () =>
      BigInt(`0x${/SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? '0'}`) & 1n;
    while (!caught()) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(LIMIT_MS) })) as [number];
    return [code, log];
  }
});
