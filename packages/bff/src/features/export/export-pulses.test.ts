import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ErrorCode, pulseAnswerSchema, pulsesAnswerSchema, sourcesAnswerSchema } from '@pulse-card/contract';
import { type TemporaryFolder, temporaryFolder } from '../../testing/temporary-folder.ts';
import { CHANGING, IMMUTABLE } from '../../http/cache-scope.ts';
import { staticFrames } from '../embed/frame-page.ts';
import type { WidgetFiles } from '../files/files.ts';
import { type Ask, exportPulses, type ExportOptions, idsToKnow } from './export-pulses.ts';
import { StaticFolder } from './static-folder.ts';

const REQUESTED_AT_MS = Date.parse('2026-05-08T09:00:00.000Z');
const PUBLIC_URL = 'https://cards.test/x';
const CONFIG = {
  publicUrl: PUBLIC_URL,
  hasPublicUrl: false,
  allowedOrigins: ['https://page.test'],
  sources: { listed: true, ids: [] },
  images: 'direct' as const,
};

let folder: TemporaryFolder;
let built: TemporaryFolder;
let widget: WidgetFiles;
beforeEach(() => {
  folder = temporaryFolder();
  built = temporaryFolder();
  mkdirSync(built.file('pulse-card-lang'));
  writeFileSync(built.file('pulse-card.js'), 'export {};');
  writeFileSync(built.file('pulse-card-lang/de-0.1.0.json'), '{"retry":"Noch einmal"}');
  writeFileSync(built.file('pulse-card-0123456789abcdef.js'), 'export {};');
  const paths = new Set(['/pulse-card.js', '/pulse-card-0123456789abcdef.js', '/pulse-card-lang/de-0.1.0.json']);
  widget = { folder: built.path, paths, hash: '0123456789abcdef', integrity: 'sha384-x', publishedUrl: null };
});
afterEach(() => {
  folder.remove();
  built.remove();
});

/** A BFF that knows the sources `ids`. Requests for those in `fails` fail. */
interface World extends Partial<Pick<ExportOptions, 'config' | 'say' | 'widget'>> {
  readonly ids?: readonly string[];
  readonly fails?: readonly string[];
  readonly absent?: readonly string[];
  readonly run?: string;
  readonly name?: string;
  readonly chartless?: string;
}

function askOf(world: World): Ask {
  const { ids = ['src_1', 'src_2'], fails = [], absent = [], run = 'run_1', name = 'Q2', chartless } = world;
  const meta = { requestedAt: new Date(REQUESTED_AT_MS).toISOString(), stale: false };
  const source = { status: 'ACTIVE', provider: 'GOOGLE', name };
  const json = (value: unknown) => ({ ok: true, body: Buffer.from(JSON.stringify(value)) }) as const;
  const failed = (code: ErrorCode) => ({ ok: false, code, error: 'No' }) as const;
  return async (path) => {
    const [, , , id = 'list', what = ''] = path.split(/[/?]/);
    if (fails.includes(what === 'image' ? `chart of ${id}` : id)) return failed('upstream_unavailable');
    if (id === 'list') return json({ meta, sources: ids.map((id) => ({ id, ...source })) });
    if (absent.includes(id)) return failed('pulse_not_found');
    if (what === 'image') return { ok: true, body: Buffer.from(run) };
    const imageUrl = id === chartless ? null : `${PUBLIC_URL}/v1/sources/${id}/image?run=${run}`;
    const texts = { sourceName: name, aiSummaryShort: 'Short', aiSummaryLong: 'Long' };
    const pulse = { jobRunId: run, sourceId: id, status: 'SUCCESS', completedAt: null, imageUrl, ...texts };
    return json({ meta, pulse, source });
  };
}

/** Exports the pulses and returns the errors. */
async function exported(world: World = {}): Promise<readonly string[]> {
  const written = new StaticFolder(folder.path);
  const said: string[] = [];
  const { faults } = await exportPulses({
    ask: askOf(world),
    folder: written,
    say: (line) => said.push(line),
    config: CONFIG,
    widget,
    frames: staticFrames({ publicUrl: CONFIG.publicUrl, scriptHash: widget.hash }, CONFIG.allowedOrigins),
    ...world,
  });
  written.close();
  for (const fault of faults) assert.ok(said.includes(fault), fault);
  return faults;
}

const read = (path: string): string => readFileSync(`${folder.path}/${path}`, 'utf8');
const pulseIn = (id: string) => pulseAnswerSchema.parse(JSON.parse(read(`v1/sources/${id}/pulse`)));
/** Each source's result in the exported batch: the error code, or whether its pulse is stale. */
const batch = () =>
  pulsesAnswerSchema
    .parse(JSON.parse(read('v1/pulses')))
    .pulses.map((row) => `${row.sourceId} ${row.ok ? (row.meta.stale ? 'stale' : 'new') : row.code}`);
const exists = (path: string) => existsSync(`${folder.path}/${path}`);

describe('exportPulses()', () => {
  it('writes each pulse, a file with all pulses, two copies of the list, and the card', async () => {
    assert.deepEqual(await exported(), []);
    assert.deepEqual(pulseIn('src_1').meta, { requestedAt: '2026-05-08T09:00:00.000Z', stale: false });
    assert.deepEqual(batch(), ['src_1 new', 'src_2 new']);
    assert.equal(sourcesAnswerSchema.parse(JSON.parse(read('v1/sources.json'))).sources.length, 2);
    assert.equal(read('v1/sources/index.html'), read('v1/sources.json'));
    assert.equal(read('pulse-card-lang/de-0.1.0.json'), '{"retry":"Noch einmal"}');
    assert.match(read('_headers'), /\/v1\/\*\n {2}Access-Control-Allow-Origin: https:\/\/page\.test\n/);
    assert.equal(exists('embed/src_1.html'), false);
  });

  it('tells hosts the type of each file, and how long browsers can keep it', async () => {
    await exported();
    const rules = read('_headers').split('\n\n');
    for (const [path, header] of [
      ['/v1/*', 'X-Content-Type-Options: nosniff'],
      ['/v1/*', 'Cross-Origin-Resource-Policy: cross-origin'],
      ['/v1/*', 'Cache-Control: public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800'],
      ['/v1/pulses', 'Content-Type: application/json; charset=utf-8'],
      ['/v1/sources/:source/image', 'Content-Type: image/png'],
      ['/pulse-card.js', `Cache-Control: ${CHANGING}`],
      ['/pulse-card-0123456789abcdef.js', `Cache-Control: ${IMMUTABLE}`],
      ['/pulse-*', 'Access-Control-Allow-Origin: *'],
    ] as const)
      assert.ok(rules.find((rule) => rule.startsWith(`${path}\n`))?.includes(`\n  ${header}`), `${path} ${header}`);
    // Netlify knows only placeholders that are a whole segment.
    assert.doesNotMatch(rules.join('\n'), /^\/.*[^/\n]:/m);
  });

  it('ignores what isn’t an ID in the record of an earlier export', () => {
    const files = ['v1/sources/src_1/pulse', 'v1/sources/a b/pulse', 'v1/sources/?/pulse'];
    assert.deepEqual(idsToKnow({ listed: true, ids: [] }, { record: { files, leaving: [] } }), ['src_1']);
  });

  it('lets pages on every origin read the files if several origins are allowed', async () => {
    for (const allowedOrigins of [['https://a.test', 'https://b.test'], ['https://*.a.test']]) {
      await exported({ config: { ...CONFIG, allowedOrigins } });
      assert.match(read('_headers'), /\/v1\/\*\n {2}Access-Control-Allow-Origin: \*\n/);
    }
  });

  it('doesn’t write markup into JSON, in case a host serves the JSON as a page', async () => {
    await exported({ name: '<script>alert(1)</script>' });
    for (const path of ['v1/sources/src_1/pulse', 'v1/pulses', 'v1/sources.json', 'v1/sources/index.html'])
      assert.doesNotMatch(read(path), /</, path);
    assert.equal(pulseIn('src_1').pulse.sourceName, '<script>alert(1)</script>');
  });

  it('keeps a failing source’s last pulse and marks it as stale', async () => {
    await exported({ run: 'run_1' });
    const faults = await exported({ run: 'run_2', fails: ['src_2'] });
    assert.deepEqual([faults.length, /^src_2 .* its last export is kept$/.test(faults[0] ?? '')], [1, true]);
    assert.equal(pulseIn('src_1').pulse.jobRunId, 'run_2');
    assert.deepEqual([pulseIn('src_2').pulse.jobRunId, pulseIn('src_2').meta.stale], ['run_1', true]);
    assert.deepEqual(batch(), ['src_1 new', 'src_2 stale']);
  });

  it('writes the BFF’s error if a failing source has never been exported', async () => {
    const faults = await exported({ fails: ['src_2'] });
    assert.match(faults.join(), /src_2 .* no earlier export has it/);
    assert.equal(exists('v1/sources/src_2/pulse'), false);
    assert.deepEqual(batch(), ['src_1 new', 'src_2 upstream_unavailable']);
  });

  it('keeps the old list and exports the known sources if only the list fails', async () => {
    await exported({ run: 'run_1' });
    const list = read('v1/sources.json');
    assert.equal((await exported({ run: 'run_2', fails: ['list'] })).length, 1);
    assert.equal(read('v1/sources.json'), list);
    assert.equal(pulseIn('src_2').pulse.jobRunId, 'run_2');
  });

  it('continues to export a source that has disappeared from the list', async () => {
    await exported({ ids: ['src_1', 'src_2'] });
    await exported({ ids: ['src_1'], run: 'run_2' });
    assert.equal(pulseIn('src_2').pulse.jobRunId, 'run_2');
  });

  it('deletes the exported pulse if its source no longer has a pulse', async () => {
    await exported();
    assert.deepEqual(await exported({ absent: ['src_2'] }), []);
    assert.equal(exists('v1/sources/src_2'), false);
    assert.deepEqual(batch(), ['src_1 new', 'src_2 pulse_not_found']);
  });

  it('names each source without a pulse, which isn’t a failure', async () => {
    const said: string[] = [];
    await exported({ absent: ['src_2'], say: (line) => said.push(line) });
    assert.deepEqual(said, [
      '[1/2] src_1',
      '[2/2] src_2',
      'src_2 has no pulse: it hasn’t had a successful run, or its ID is wrong',
    ]);
  });

  it('exports only the specified sources if the list isn’t used', async () => {
    await exported();
    const sources = { listed: false, ids: ['src_2', 'src_9'] };
    await exported({ ids: ['src_2'], config: { ...CONFIG, sources } });
    assert.deepEqual(batch(), ['src_2 new', 'src_9 new']);
  });

  it('reports the missing variable if there is no source, and writes nothing', async () => {
    assert.match((await exported({ ids: [] })).join(), /PULSE_SOURCES/);
    assert.equal(exists('v1/pulses'), false);
  });

  it('keeps the previous version’s scripts and languages for one more export', async () => {
    const old = ['pulse-card-0000000000000000.js', 'pulse-board-0000000000000000.js', 'pulse-card-lang/de-0.0.9.json'];
    for (const file of old) writeFileSync(built.file(file), '');
    const paths = new Set([...widget.paths, ...old.map((file) => `/${file}`)]);
    for (const [version, areThere] of [
      [{ ...widget, paths }, true],
      [widget, true],
      [widget, false],
    ] as const) {
      await exported({ widget: version });
      assert.deepEqual(old.map(exists), Array(3).fill(areThere));
    }
  });

  describe('with pages for frames', () => {
    const frames = { config: { ...CONFIG, hasPublicUrl: true } };

    it('writes a page for each pulse, with absolute URLs and without oEmbed', async () => {
      await exported({ name: '<b>Q2</b>', ...frames });
      const page = read('embed/src_1.html');
      assert.match(page, /<title>&#60;b&#62;Q2&#60;\/b&#62;<\/title>/);
      assert.ok(page.includes('<meta property="og:url" content="https://cards.test/x/embed/src_1">'));
      assert.ok(page.includes('<script type="module" src="../pulse-card-0123456789abcdef.js"></script>'));
      assert.doesNotMatch(page, /oembed|<b>/);
    });

    it('marks the page as stale if its pulse is stale, and deletes it if there’s no longer a pulse', async () => {
      const ids = ['src_1', 'src_2', 'src_3'];
      await exported({ ids, ...frames });
      await exported({ ids, fails: ['src_1'], absent: ['src_2'], ...frames });
      assert.match(read('embed/src_1.html'), /part="status" class="earlierVersion"/);
      assert.equal(exists('embed/src_2.html'), false);
    });

    it('writes a header rule with the page’s image hosts and its allowed frame ancestors', async () => {
      await exported(frames);
      const [, rules = ''] = read('_headers').split('/embed/*\n');
      assert.match(rules, /^ {2}Content-Security-Policy: default-src 'none'; .*; img-src 'self' [^;]+; /);
      assert.match(rules, /; frame-ancestors 'self' https:\/\/page\.test;/);
    });
  });

  describe('with charts', () => {
    const charts = { config: { ...CONFIG, images: 'proxy' as const } };

    it('writes each chart twice: under its run’s name and as the latest chart', async () => {
      await exported({ chartless: 'src_2', ...charts });
      assert.equal(pulseIn('src_2').pulse.imageUrl, null);
      assert.equal(pulseIn('src_1').pulse.imageUrl, 'https://cards.test/x/v1/sources/src_1/run_1.png');
      assert.deepEqual([read('v1/sources/src_1/run_1.png'), read('v1/sources/src_1/image')], ['run_1', 'run_1']);
    });

    it('keeps the previous run’s chart for one more export', async () => {
      await exported({ run: 'run_1', ...charts });
      await exported({ run: 'run_2', ...charts });
      assert.equal(exists('v1/sources/src_1/run_1.png'), true);
      await exported({ run: 'run_3', ...charts });
      assert.equal(exists('v1/sources/src_1/run_1.png'), false);
      assert.equal(read('v1/sources/src_1/image'), 'run_3');
    });

    it('keeps the old pulse with the old chart as long as the new chart can’t be loaded', async () => {
      await exported({ run: 'run_1', ...charts });
      for (const run of ['run_2', 'run_2', 'run_2']) await exported({ run, fails: ['chart of src_1'], ...charts });
      assert.deepEqual([pulseIn('src_1').pulse.jobRunId, pulseIn('src_2').pulse.jobRunId], ['run_1', 'run_2']);
      assert.equal(read('v1/sources/src_1/run_1.png'), 'run_1');
    });
  });
});
