import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it, type TestContext } from 'node:test';
import { tokenVariables } from '../../bff/src/testing/served-app.ts';
import { tokenAt } from '../../token/src/testing/forged-tokens.ts';
import { call, connectClient, serveBffWithChart } from './testing/chat.ts';
import { runProgram } from './program.ts';
import { StdioClientTransport } from './testing/client.ts';

const MAIN = ['--conditions=source', join(import.meta.dirname, 'main.ts')];
/** With the compile cache, a process starts in half the time. */
const CACHE = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
const folder = mkdtempSync(join(tmpdir(), 'pulse-mcp-'));
const tokenFile = join(folder, 'token');
const bff = await serveBffWithChart();
const privateBff = await serveBffWithChart(tokenVariables);
for (const served of [bff, privateBff]) served.show();
after(async () => {
  rmSync(folder, { recursive: true });
  for (const served of [bff, privateBff]) await served[Symbol.asyncDispose]();
});

/** Runs the program without a client. Its input is empty. */
async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [...MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => void child.once('close', resolve)),
  ]);
  return { stdout, stderr, code };
}

const transportTo = (...args: readonly string[]) =>
  new StdioClientTransport({ command: process.execPath, args: [...MAIN, ...args], env: CACHE });

describe('pulse-mcp', () => {
  for (const mode of ['legacy', 'auto'] as const)
    it(`responds to the SDK's client over standard input and output, with ${mode} negotiation`, async () => {
      const client = await connectClient(transportTo('--bff', bff.url), mode);
      const { text: answer, image } = await call(client, 'get_pulse', { sourceId: 'src_1' });
      assert.match(answer, /Finding \(AI-generated\): Revenue/);
      assert.equal(image?.mimeType, 'image/png');
      const list = await call(client, 'list_pulses');
      assert.match(list.text, /^Source src_bare$/m);
      await client.close();
    });

  it('reads the token file before each call', async () => {
    const now = Math.floor(Date.now() / 1_000);
    writeFileSync(tokenFile, `${tokenAt(now)}\n`);
    const client = await connectClient(transportTo('--bff', privateBff.url, '--token-file', tokenFile));
    const getPulse = () => call(client, 'get_pulse', { sourceId: 'src_1' });
    assert.equal((await getPulse()).isError, false);
    writeFileSync(tokenFile, tokenAt(now - 1_000));
    assert.match((await getPulse()).text, /^The BFF rejected the token/);
    writeFileSync(tokenFile, '\n');
    assert.match((await getPulse()).text, /the token is empty/);
    rmSync(tokenFile);
    assert.match((await getPulse()).text, /can't be read \(ENOENT\)/);
    writeFileSync(tokenFile, tokenAt(now, { jti: 'jti-2' }));
    assert.equal((await getPulse()).isError, false);
    await client.close();
  });

  it('exits when its standard input is closed', async () => {
    const { code, stdout, stderr } = await run('--bff', bff.url);
    assert.deepEqual([code, stdout, stderr], [0, '', '']);
  });

  it('exits with 2 and writes nothing to standard output if it’s used incorrectly', async () => {
    const { code, stdout, stderr } = await run();
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^--bff: must be the public URL of a BFF/);
  });

  it('prints its help and its version', async () => {
    assert.match((await run('--help')).stdout, /--token-file <file>/);
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

/** Runs the program in this process, which takes a tenth of the time. The program must not start serving. */
async function runHere(test: TestContext, args: readonly string[]) {
  const written: string[] = [];
  const { mock } = test.mock.method(process.stderr, 'write', (text: string) => written.push(text) > 0);
  await runProgram(args);
  mock.restore();
  const code = process.exitCode;
  process.exitCode = 0;
  return { code, stderr: written.join('') };
}

describe('Incorrect usage of pulse-mcp', () => {
  const SECRET = 'hunter2-is-a-token';
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'two-lines'), `${SECRET}\n${SECRET}`);
  const wrong: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'no BFF': [[], /^--bff: must be the public URL of a BFF/],
    'a misspelled --bff': [['--bf', bff.url], /unknown option '--bf'.*--bff/],
    'a BFF that isn’t a URL': [['--bff', 'pulse.test'], /^--bff: must be the public URL of a BFF/],
    'a BFF with a line break': [['--bff', 'https://pulse\n.test'], /^--bff: must be the public URL of a BFF/],
    'a BFF with a space': [['--bff', 'https://pulse.test/ '], /^--bff: must be the public URL of a BFF/],
    'a BFF with a control code': [['--bff', 'https://pulse.test/\u009b'], /^--bff: must be the public URL of a BFF/],
    'a BFF with a password': [['--bff', `https://a:${SECRET}@pulse.test`], /^--bff: must be the public URL/],
    'a BFF without https, with a token': [
      ['--bff', 'http://pulse.test', '--token-file', join(folder, 'two-lines')],
      /^--bff: must begin with https:/,
    ],
    'an unknown option': [['--bff', bff.url, '--token-fil', 'x'], /unknown option '--token-fil'.*--token-file/],
    'a token instead of its file': [['--bff', bff.url, `--token=${SECRET}`], /unknown option '--token'/],
    'a token as an argument': [['--bff', bff.url, SECRET], /too many arguments/],
    'a token file that is missing': [
      ['--bff', bff.url, '--token-file', join(folder, 'none')],
      /^--token-file: the token file can't be read \(ENOENT\)/,
    ],
    'an empty token file': [['--bff', bff.url, '--token-file', join(folder, 'empty')], /^--token-file: .*empty/],
    'a token file with two lines': [
      ['--bff', bff.url, '--token-file', join(folder, 'two-lines')],
      /contains characters that no token can have/,
    ],
  };
  for (const [title, [args, message]] of Object.entries(wrong))
    it(`exits with 2 and one message: ${title}`, async (test) => {
      const { code, stderr } = await runHere(test, args);
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, new RegExp(SECRET));
    });
});
