import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BffProcess, runBff as run } from '../../testkit/src/bff-process.ts';
import { runChild, startChild } from '../../testkit/src/child-process.ts';
import { until } from '../../testkit/src/until.ts';
import { packageVersion } from './lib/package-version.ts';
import { serve } from './testing/serve.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { startTestUpstream } from './testing/test-upstream.ts';

const ARGS = ['--conditions=source', fileURLToPath(new URL('main.ts', import.meta.url))];
const SERVICE = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: 'http://127.0.0.1:9' };
const UNREACHABLE = { ...SERVICE, HOST: '127.0.0.1', PORT: '0', PULSE_ADMIN_PORT: '0' };

/** Starts a server in front of a service that can’t be reached. */
const start = (env: Readonly<Record<string, string>>) =>
  BffProcess.start({ upstream: { urls: { A: SERVICE.PULSE_BASE_URL, B: '' } }, from: 'source', env });

/** The option with which Node runs `script` first. */
const importing = (script: string) => `--import="data:text/javascript,${encodeURI(script)}"`;

const logOf = ({ lastLines }: BffProcess) => lastLines.join('\n');

describe('pulse-bff', () => {
  it('prints its version', async () =>
    assert.deepEqual(await run(['--version']), { code: 0, stdout: `${packageVersion()}\n`, stderr: '' }));

  it('prints one line with the required Node version if Node is too old', async () => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '22.18.0' })`;
    const { code, stdout, stderr } = await run([], { NODE_OPTIONS: importing(old) });
    assert.deepEqual([code, stdout, stderr], [1, '', 'pulse-bff needs Node 22.19 or newer; this is 22.18.0\n']);
  });

  it('exits with 2 for an unknown command and never repeats anything that could be a key', async () => {
    const unknown = "unknown command 'chekc' (did you mean check?)\nRun pulse-bff --help for all commands\n";
    assert.deepEqual(await run(['chekc']), { code: 2, stdout: '', stderr: unknown });
    const { code, stderr } = await run(['serve', '--key=canary']);
    assert.deepEqual([code, /canary/.test(stderr)], [2, false]);
  });

  it('withholds and releases runs without touching other lines of the file, and reports what it did', async () => {
    using folder = temporaryFolder();
    const env = { PULSE_WITHHELD_FILE: folder.file('withheld') };
    const withheld = (await run(['withhold', 'run_1'], env)).stdout;
    assert.match(withheld, /^The file didn’t exist, so it was created\. The text of run_1 is withheld/);
    assert.match((await run(['withhold', 'run_1'], env)).stdout, /^run_1 was already in the file: nothing has changed/);
    const released = (await run(['release', 'run_1'], env)).stdout;
    assert.match(released, /is restored\. Each BFF that reads this file picks up the change within 60 seconds/);
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), '');
    assert.equal((await run(['withhold', '../x'], env)).code, 2);
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), '');
    assert.equal((await run(['withhold', 'run_1'])).code, 2);
    const { code, stderr } = await run(['withhold', 'run_1'], { PULSE_WITHHELD_FILE: '/proc/nope/x' });
    const reason = 'Can’t change the file set in PULSE_WITHHELD_FILE: no such file or directory\n';
    assert.deepEqual([code, stderr], [1, reason]);
  });

  it('withholds a run whose ID looks like a source ID, and says how to undo it if it was one', async () => {
    using folder = temporaryFolder();
    const env = { PULSE_WITHHELD_FILE: folder.file('withheld', '') };
    const withheld = await run(['withhold', 'src_1'], env);
    assert.equal(withheld.code, 0);
    assert.match(withheld.stdout, /^If src_1 is a run, its text is withheld\. Each BFF/);
    assert.match(withheld.stderr, /^src_1 looks like a source ID\. .+ pulse-bff release src_1.+\n$/);
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), 'src_1\n');
    assert.deepEqual((await run(['release', 'src_1'], env)).stderr, '');
    assert.equal(readFileSync(env.PULSE_WITHHELD_FILE, 'utf8'), '');
  });

  it('mints a token for the given sources and subject, and doesn’t print the secret', async () => {
    using folder = temporaryFolder();
    const keys = folder.file('keys', JSON.stringify([{ kid: 'a', secret: 'a-canary-secret-of-32-bytes-or-more' }]));
    const env = { PULSE_PUBLIC_URL: 'https://pulse.test', PULSE_TOKEN_KEYS_FILE: keys };
    const words = ['token', 'mint', '--source', 'src_1', '--source', 'src_2', '--subject', 'u1'];
    const { code, stdout, stderr } = await run(words, env);
    assert.equal(stderr, '');
    const { aud, sub, sources } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([code, aud, sub, sources], [0, 'https://pulse.test', 'u1', ['src_1', 'src_2']]);
    assert.doesNotMatch(stdout, /canary/);
    const assumed = 'PULSE_PUBLIC_URL isn’t set, so the token works only with a BFF at http://localhost:4999\n';
    assert.equal((await run(words, { PORT: '4999', PULSE_TOKEN_KEYS_FILE: keys })).stderr, assumed);
  });
});

describe('pulse-bff check', () => {
  it('lists the missing variables, mentions the status page, and exits with 2', async () => {
    const { code, stderr } = await run(['check'], { PULSE_ADMIN_PORT: '4999' });
    assert.equal(code, 2);
    assert.match(stderr, /^PULSE_BASE_URL: is required\nPULSE_API_KEY: is required .+\n.+http:\/\/localhost:4999\/\n$/);
  });

  it('exits with 1 and no stack trace if its output can’t be written, and quietly if the reading program has ended', async () => {
    await using service = await startTestUpstream();
    const inShell = async (output: string) => {
      const command = ['-c', `{ "$@"; echo $? >&2; } ${output}`, 'sh', process.execPath, ...ARGS, 'check'];
      return (await runChild({ command: 'sh', args: command, env: service.variables })).stderr;
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
      const { code, stderr } = await run(['serve'], { ...UNREACHABLE, [variable]: port });
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^Can’t listen on port ${port} \\(${variable}, .+ already in use .+\n$`));
    });

  it('prints one line and exits with 2 if a file can’t be used, without waiting for a program to write to a pipe', async () => {
    using folder = temporaryFolder();
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const access = (file: string) => file === 'PULSE_TOKEN_KEYS_FILE' && { PULSE_ACCESS: 'token' };
    for (const [file, path, fault] of [
      ['PULSE_WITHHELD_FILE', pipe, 'the file can’t be read: not a regular file'],
      ['REDIS_URL_FILE', '/proc', 'the file can’t be read: .* directory'],
      ['REDIS_URL_FILE', folder.file('redis', 'canary'), 'the line in the file must be a redis: or rediss: URL'],
      ['PULSE_ALERT_URL_FILE', pipe, 'the file can’t be read: not a regular file'],
      ['PULSE_TOKEN_KEYS_FILE', pipe, '.*not a regular file'],
    ] as const) {
      const { stderr } = await run(['serve'], { ...UNREACHABLE, ...access(file), [file]: path });
      assert.match(stderr, new RegExp(`^${file}: ${fault}[^\\n]*\\n$`), file);
    }
  });

  it('exits immediately on a second signal', async () => {
    await using bff = await start({ PULSE_DRAIN_MS: '5000' });
    bff.signal('SIGTERM');
    const readiness = async () => (await fetch(`${bff.url}/readyz`)).text();
    await until('it is stopping', async () => (await readiness()).includes('This server is stopping'));
    bff.signal('SIGINT');
    // After the drain, the exit code would be 0.
    assert.equal(await bff.ended, 1);
  });

  for (const [what, fail] of [
    ['error', 'throw'],
    ['rejection', 'Promise.reject'],
  ])
    it(`exits with 1 after an unhandled ${what}, without logging its message`, async () => {
      const thrown = `process.on('SIGUSR2', () => { ${fail}(new Error(['canary', 'text'].join('-'))); });`;
      await using bff = await start({ NODE_OPTIONS: importing(thrown) });
      bff.signal('SIGUSR2');
      assert.equal(await bff.ended, 1);
      await until('it is logged', () => logOf(bff).includes('"level":60'));
      assert.doesNotMatch(logOf(bff), /canary-text/);
    });

  it('reports an open admin port and unknown variables, and rereads its files on SIGHUP without a terminal', async () => {
    using folder = temporaryFolder();
    const file = folder.file('withheld', 'run_1\n');
    const variables = { PULSE_WITHHELD_FILE: file, PULSE_KEY_RELOAD_MS: '3600000', PULSE_ADMIN_HOST: '0.0.0.0' };
    await using bff = await start({ ...variables, PULSE_SITE_1: 'x', PULSE_SITE_2: 'x' });
    const wrote = (pattern: RegExp) => until(`it logs ${pattern.source}`, () => pattern.test(logOf(bff)));
    await wrote(/^\{"level":30,"time":"[\d-]+T[\d:.]+Z",.*"port":\d+,"adminPort":\d+,.*"msg":"listening"/m);
    for (const name of ['PULSE_SITE_1', 'PULSE_SITE_2']) await wrote(new RegExp(`${name} isn’t`));
    await wrote(/The admin port listens on 0\.0\.0\.0 .+ anyone who can reach this IP address/);
    folder.file('withheld', 'run_2\n');
    bff.signal('SIGHUP');
    await wrote(/were reread \(SIGHUP\)/);
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
  async function signalWhileStarting(): Promise<[code: number | null, log: string]> {
    const bff = await startChild({ title: 'the BFF', args: [...ARGS, 'serve'], env: UNREACHABLE });
    // The process catches SIGHUP as soon as it runs our code.
    const caught = () =>
      BigInt(`0x${/SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${bff.pid}/status`, 'utf8'))?.[1] ?? '0'}`) & 1n;
    await until('it catches signals', () => caught() === 1n, { everyMs: 5 });
    bff.signal('SIGTERM');
    return [await bff.ended, bff.lastLines.join('')];
  }
});
