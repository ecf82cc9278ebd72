import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pulseBodySchema, sourcesBodySchema } from '@pulse-card/contract';
import { sql } from 'kysely';
import { serveVariables } from './config.ts';
import { openDatabase } from './sql/database.ts';
import { pngOf } from './testing/chart-file.ts';
import { runCommand, runProcess, serveProcess } from './testing/command.ts';
import { anAccount, aRun, aSource, documentOf } from './testing/documents.ts';

const KEY_LINE = /^pk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\n$/;

describe('pulse-service', () => {
  let folder: string;
  let env: Record<string, string>;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulse-main-'));
    env = { PULSE_DATA_DIR: join(folder, 'data') };
    file = join(folder, 'document.json');
    mkdirSync(join(folder, 'charts'));
    writeFileSync(join(folder, 'charts', 'run.png'), pngOf(3));
    writeFileSync(file, JSON.stringify(aDocument()));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const aDocument = (image = 'charts/run.png') =>
    documentOf({
      ...anAccount('acc'),
      sources: [aSource('acc', 'src')],
      connections: [{ id: 'con', sourceId: 'src' }],
      runs: [aRun('con', 'run', { image })],
    });
  const run = (...args: string[]) => runCommand(args, env);
  const ask = (url: string, key: string) => fetch(url, { headers: { 'X-API-Key': key } });
  /** One line on standard error, nothing on standard output. */
  const assertRefused = (
    { code, stdout, stderr }: Awaited<ReturnType<typeof run>>,
    line: RegExp | string,
    exitCode = 1,
  ) => {
    assert.equal(code, exitCode);
    assert.equal(stdout, '');
    if (typeof line === 'string') assert.equal(stderr, `pulse-service: ${line}\n`);
    else assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  };

  describe('without a server', () => {
    it('prints its version and lists every variable in the help for serve', async () => {
      const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
        version: string;
      };
      assert.equal((await run('--version')).stdout, `${version}\n`);
      const { stdout } = await run('serve', '--help');
      for (const name of Object.keys(serveVariables.shape)) assert.ok(stdout.includes(`\n  ${name} `), name);
    });

    const mistakes: [args: string[], said: RegExp][] = [
      [['sevre'], /Unknown command "sevre"; did you mean "serve"\?/],
      [['keys', 'lst'], /Unknown command "keys lst"; did you mean "keys list"\?/],
      [['--verson'], /Unknown option "--verson"; did you mean "--version"\?/],
      [['keys', 'create', '--acount', 'a'], /Unknown option "--acount"; did you mean "--account"\?/],
      [['keys', 'create'], /--account/],
      [['import'], /file/],
      [['serve', 'now'], /[Tt]oo many arguments/],
      [['keys'], /Usage: pulse-service keys/],
    ];
    for (const [args, said] of mistakes)
      it(`exits with 2 for "${args.join(' ')}" and explains why`, async () => {
        const { code, stdout, stderr } = await run(...args);
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, said);
        assert.deepEqual(readdirSync(folder).toSorted(), ['charts', 'document.json']);
      });

    it('warns about a misspelled variable and suggests the nearest variable', async () => {
      const { code, stderr } = await runCommand(['keys', 'list'], { ...env, PULSE_DATADIR: 'canary' });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^pulse-service: PULSE_DATADIR isn’t a variable of pulse-service; did you mean PULSE_DATA_DIR\?$/m,
      );
      assert.ok(!stderr.includes('canary'));
    });

    it('prints one line with the required Node version if Node is too old', () => {
      const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
      const main = fileURLToPath(new URL('main.ts', import.meta.url));
      const args = ['--conditions=source', '--import', old, main, '--version'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.deepEqual([status, stdout, stderr], [1, '', 'pulse-service needs Node 22.19 or newer; this is 20.20.2\n']);
    });
  });

  describe('serve', () => {
    it('is the default command and lets other commands import data and create keys while it runs', async () => {
      const service = await serveProcess([], env);
      assert.equal((await runProcess(['import', file], env)).code, 0);
      const key = (await runProcess(['keys', 'create', '--account', 'acc'], env)).stdout.trim();
      const list = await ask(`${service.url}/v1/sources`, key);
      assert.equal(list.status, 200);
      assert.equal(sourcesBodySchema.parse(await list.json()).sources[0]?.id, 'src');
      const answer = await ask(`${service.altUrl}/v1/sources/src/pulse`, key);
      const { pulse } = pulseBodySchema.parse(await answer.json());
      const chart = await fetch(pulse.imageUrl ?? '');
      assert.deepEqual(Buffer.from(await chart.arrayBuffer()), pngOf(3));
      assert.equal((await runProcess(['keys', 'revoke', key.split('_')[1]!], env)).code, 0);
      assert.equal((await ask(`${service.url}/v1/sources`, key)).status, 401);
      assert.equal((await service.end('SIGTERM')).code, 0);
    });

    it('builds URLs from PUBLIC_URL and PULSE_ADMIN_URL', async () => {
      await run('import', file);
      const key = (await run('keys', 'create', '--account', 'acc')).stdout.trim();
      const addresses = { PUBLIC_URL: 'https://cdn.acme.test/', PULSE_ADMIN_URL: 'https://app.acme.test/admin' };
      const service = await serveProcess(['serve'], { ...env, ...addresses });
      const list = sourcesBodySchema.parse(await (await ask(`${service.url}/v1/sources`, key)).json());
      const { pulse } = pulseBodySchema.parse(await (await ask(`${service.url}/v1/sources/src/pulse`, key)).json());
      assert.equal(list.sources[0]?.link, 'https://app.acme.test/admin/sources/src');
      assert.equal((await fetch(`${service.url}/admin/sources/src`)).status, 404);
      assert.match(pulse.imageUrl ?? '', /^https:\/\/cdn\.acme\.test\/charts\/[0-9a-f]{32}\.png$/);
      await service.end('SIGTERM');
    });

    it('exits with 0 on SIGTERM, SIGINT, and SIGHUP, even if clients keep connections open', async () => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        const service = await serveProcess(['serve'], env);
        await fetch(`${service.url}/healthz`);
        const { code, stderr } = await service.end(signal);
        assert.equal(code, 0, signal);
        assert.equal(stderr, '', signal);
      }
    });

    it('stops on SIGTERM even if nothing reads its log anymore', { timeout: 120_000 }, async () => {
      const service = await serveProcess(['serve'], env);
      service.stopReading();
      assert.equal((await service.end('SIGTERM')).code, 0);
    });

    it('keeps its data across a restart', async () => {
      await run('import', file);
      const key = (await run('keys', 'create', '--account', 'acc')).stdout.trim();
      for (let start = 0; start < 2; start += 1) {
        const service = await serveProcess(['serve'], env);
        assert.equal((await ask(`${service.url}/v1/sources/src/pulse`, key)).status, 200);
        await service.end('SIGTERM');
      }
    });

    it('writes only JSON lines, without keys or query strings', async () => {
      await run('import', file);
      const key = (await run('keys', 'create', '--account', 'acc')).stdout.trim();
      const service = await serveProcess(['serve'], env);
      await ask(`${service.url}/v1/sources?key=${key}`, key);
      const { stdout, stderr } = await service.end('SIGTERM');
      for (const line of stdout.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
      assert.ok(!`${stdout}${stderr}`.includes(key.split('_').slice(2).join('_')));
    });

    it('reports the port and the variable when a port is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      assert.ok(typeof address === 'object' && address !== null);
      for (const variable of ['PORT', 'ALT_PORT']) {
        const ports = { HOST: '127.0.0.1', PORT: '0', ALT_PORT: '0', [variable]: String(address.port) };
        const ended = await runProcess(['serve'], { ...env, ...ports });
        assertRefused(ended, `Can’t listen on port ${address.port} (${variable}): the port is in use`);
      }
      other.close();
    });

    it('reports the variable when the data folder can’t be used', async () => {
      const ended = await runProcess(['serve'], { PULSE_DATA_DIR: join(file, 'data') });
      assertRefused(ended, 'Can’t open the data folder (PULSE_DATA_DIR): part of the path is not a folder');
    });

    it('reports the variable when the data folder contains something other than a database', async () => {
      mkdirSync(env['PULSE_DATA_DIR']!);
      writeFileSync(join(env['PULSE_DATA_DIR']!, 'pulse.sqlite'), 'no database '.repeat(100));
      assertRefused(
        await runProcess(['serve'], env),
        'Can’t open the data folder (PULSE_DATA_DIR): the file in it is not a database',
      );
    });

    it('reports the variable, never the URL, when the database is unreachable', async () => {
      const ended = await runProcess(['serve'], { DATABASE_URL: 'postgres://user:canary@127.0.0.1:1/pulse' });
      assertRefused(ended, 'Can’t reach the database (DATABASE_URL): connection refused');
    });

    it('reports the variable if the data folder belongs to another version', async () => {
      await run('import', file);
      const { db } = await openDatabase({ dataDir: env['PULSE_DATA_DIR']!, databaseUrl: undefined });
      await sql`insert into kysely_migration values ('9999-later', '2026-01-01T00:00:00.000Z')`.execute(db);
      await db.destroy();
      assertRefused(
        await runProcess(['serve'], env),
        'Can’t open the data folder (PULSE_DATA_DIR): its tables belong to another version',
      );
    });

    it('reports each invalid variable on a separate line', async () => {
      const { code, stderr } = await runProcess(['serve'], { PORT: 'canary', PUBLIC_URL: 'canary' });
      assert.equal(code, 2);
      assert.match(stderr, /^pulse-service: PORT: must .*\npulse-service: PUBLIC_URL: must .*\n$/);
      assert.ok(!stderr.includes('canary'));
    });
  });

  describe('import', () => {
    it('reports what it stored, in plain lines if there’s no terminal', async () => {
      const { code, stdout } = await runProcess(['import', file], env);
      assert.equal(code, 0);
      assert.match(stdout, /accounts 1, organizations 1, sources 1, connections 1, runs 1, chart files 1/);
      assert.ok(!stdout.includes('\u001b'));
    });

    it('stores everything even if nothing reads its output', async () => {
      const piped = '"$0" --conditions=source "$1" import "$2" | true';
      const main = fileURLToPath(new URL('./main.ts', import.meta.url));
      spawnSync('sh', ['-c', piped, process.execPath, main, file], { env: { ...process.env, ...env } });
      assert.equal((await run('keys', 'create', '--account', 'acc')).code, 0);
    });

    it('reports the path of each error and stores nothing', async () => {
      writeFileSync(file, JSON.stringify({ ...aDocument('../document.json'), more: [] }));
      const { code, stderr } = await run('import', file);
      assert.equal(code, 1);
      assert.match(stderr, /^pulse-service: more: unknown field$/m);
      assert.match(
        stderr,
        /^pulse-service: runs\[0\]\.image: must be a path in the folder that contains the document$/m,
      );
      assert.equal((await run('keys', 'create', '--account', 'acc')).code, 1);
    });

    it('reports a missing file and a file that isn’t JSON', async () => {
      assert.match((await run('import', join(folder, 'none.json'))).stderr, /Can’t read .*none\.json: no such file\n$/);
      writeFileSync(file, Buffer.from(JSON.stringify({ ...aDocument(), café: 1 }), 'latin1'));
      assert.match((await run('import', file)).stderr, /pulse-service: document: is not UTF-8\n$/);
      writeFileSync(file, '{');
      assert.match((await run('import', file)).stderr, /pulse-service: document: is not JSON: .*\n$/);
    });

    it('if the file is a CSV file, explains that the service doesn’t draw charts', async () => {
      writeFileSync(file, 'month,revenue\nJan,1\n');
      assert.match((await run('import', file)).stderr, /document: is a table \(CSV\).* draw each chart as a PNG file/);
    });

    for (const [what, text, shown] of [
      ['a control code', '\u001b', '\\u001b'],
      ['a C1 code', '\u009b', '\\u009b'],
      ['a bidi override', '\u202e', '\\u202e'],
      ['a bidi isolate', '\u2066', '\\u2066'],
      ['a line separator', '\u2028', '\\u2028'],
      ['a tag character', '\u{e0041}', '\\u{e0041}'],
      ['an invisible letter', '\u3164', '\\u3164'],
    ] as const)
      it(`escapes ${what} in its errors`, async () => {
        writeFileSync(file, JSON.stringify({ ...aDocument(), [`a${text}b`]: [] }));
        assert.ok((await run('import', file)).stderr.includes(`["a${shown}b"]: unknown field\n`));
        for (const broken of [`{"a": ${text}`, `${text}{`, `{"a${text}" "b"`]) {
          writeFileSync(file, broken);
          const { stderr } = await run('import', file);
          assert.ok(stderr.includes('document: is not JSON: ') && !stderr.includes(text), JSON.stringify(stderr));
        }
        assert.ok(
          (await run('import', join(folder, `a${text}b.json`))).stderr.includes(`a${shown}b.json: no such file`),
        );
        assert.ok((await run(`a${text}b`)).stderr.includes(`Unknown command "a${shown}b"`));
        const { stderr } = await runCommand(['keys', 'list'], { ...env, [`PULSE_${text}`]: '1' });
        assert.ok(stderr.includes(`PULSE_${shown} isn’t a variable`));
      });

    it('can run in two processes at the same time on a new database', async () => {
      const codes = await Promise.all([1, 2].map(() => runProcess(['import', file], env)));
      assert.deepEqual(
        codes.map(({ code }) => code),
        [0, 0],
      );
    });
  });

  describe('keys, without a database', () => {
    const commands = [
      ['keys', 'list'],
      ['keys', 'revoke', 'abc'],
      ['keys', 'create', '--account', 'acc'],
    ];
    for (const command of commands)
      it(`"${command.join(' ')}" reports the missing database and creates nothing`, async () => {
        assertRefused(await run(...command), /PULSE_DATA_DIR.*there is no database/);
        assert.deepEqual(readdirSync(folder).toSorted(), ['charts', 'document.json']);
      });
  });

  describe('keys', () => {
    beforeEach(async () => {
      assert.equal((await run('import', file)).code, 0);
    });

    it('create prints only the key on standard output and everything else on standard error', async () => {
      const { code, stdout, stderr } = await runProcess(['keys', 'create', '--account', 'acc'], env);
      assert.equal(code, 0);
      assert.match(stdout, KEY_LINE);
      assert.match(stderr, /expires in 90 days/);
      assert.ok(!stderr.includes(stdout.trim()));
    });

    it('create doesn’t leave a key in the data folder', async () => {
      const { stdout } = await run('keys', 'create', '--account', 'acc');
      const secret = stdout.trim().split('_').slice(2).join('_');
      const data = env['PULSE_DATA_DIR']!;
      for (const name of readdirSync(data)) assert.ok(!readFileSync(join(data, name)).includes(secret), name);
    });

    it('create applies the given scopes and days', async () => {
      await run('keys', 'create', '--account', 'acc', '--scopes', 'pulses:read', '--expires-in-days', '1');
      const { stdout } = await run('keys', 'list');
      const [, , , expires, scopes] = stdout.trim().split('\n')[1]!.split(/ {2,}/);
      assert.equal(scopes, 'pulses:read');
      assert.ok(Date.parse(expires!) < Date.now() + 2 * 86_400_000);
    });

    it('create rejects an unknown account, unknown scopes, and invalid days', async () => {
      assertRefused(await run('keys', 'create', '--account', 'nope'), /no account has the ID given in --account/);
      const badUsage: [option: string, said: RegExp][] = [
        ['--scopes=admin', /--scopes must be a comma-separated list of sources:read/],
        ['--expires-in-days=-1', /must be a number greater than 0/],
      ];
      for (const [option, said] of badUsage)
        assertRefused(await run('keys', 'create', '--account', 'acc', option), said, 2);
    });

    it('list never shows a key', async () => {
      const key = (await run('keys', 'create', '--account', 'acc')).stdout.trim();
      const { stdout, stderr } = await run('keys', 'list');
      assert.match(stdout, new RegExp(`^${key.split('_')[1]}  acc  +active `, 'm'));
      assert.ok(!`${stdout}${stderr}`.includes(key.split('_').slice(2).join('_')));
    });

    it('list reports that there are no keys', async () => {
      const { code, stdout, stderr } = await run('keys', 'list');
      assert.deepEqual([code, stdout], [0, '']);
      assert.match(stderr, /No keys yet\. To create one, run/);
    });

    it('revoke invalidates a key and rejects an unknown ID without echoing it', async () => {
      const key = (await run('keys', 'create', '--account', 'acc')).stdout.trim();
      assert.equal((await run('keys', 'revoke', key.split('_')[1]!)).code, 0);
      assert.match((await run('keys', 'list')).stdout, /revoked/);
      const refused = await run('keys', 'revoke', key);
      assertRefused(refused, /no key has this ID/);
      assert.ok(!refused.stderr.includes(key));
    });
  });
});
