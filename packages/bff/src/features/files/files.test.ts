import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { RouteTable } from '../../http/route-table.ts';
import { cacheControlFor, fileRoutes } from './file-routes.ts';
import { readWidgetFiles } from './read-widget-files.ts';

const packageFolder = mkdtempDisposableSync(join(tmpdir(), 'widget-'));
after(() => packageFolder.remove());
const folder = join(packageFolder.path, 'dist');
mkdirSync(join(folder, 'lang'), { recursive: true });
writeFileSync(join(folder, '../package.json'), '{ "name": "@pulse-card/widget", "version": "1.2.3" }');
for (const name of [
  'pulse-card.js',
  'pulse-board.js',
  'pulse-card-after-paint-0123456789abcdef.js',
  'pulse-card-extras-0123456789abcdef.js',
  'lang/de-0.1.0.json',
  'lang/notes.txt',
  'THIRD-PARTY-NOTICES.txt',
])
  writeFileSync(join(folder, name), 'export {};');

describe('readWidgetFiles()', () => {
  it('reads the script and the files next to it, and hashes the script', () => {
    const files = readWidgetFiles(join(folder, 'pulse-card.js'));
    assert.equal(files?.byPath.get('/pulse-card.js')?.text, 'export {};');
    assert.match(files?.integrity ?? '', /^sha384-[\w+/]{64}$/);
    assert.match(files?.hash ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(
      [...(files?.byPath.keys() ?? [])],
      [
        '/pulse-card-lang/de-0.1.0.json',
        '/THIRD-PARTY-NOTICES.txt',
        '/pulse-card-after-paint-0123456789abcdef.js',
        '/pulse-card-extras-0123456789abcdef.js',
        `/pulse-board-${files?.hash}.js`,
        '/pulse-board.js',
        `/pulse-card-${files?.hash}.js`,
        '/pulse-card.js',
      ],
    );
  });

  it('contains the script’s permanent address in the published package', () =>
    assert.equal(
      readWidgetFiles(join(folder, 'pulse-card.js'))?.publishedUrl,
      'https://cdn.jsdelivr.net/npm/@pulse-card/widget@1.2.3/dist/pulse-card.js',
    ));

  it('contains no permanent address for a script that was built from source', () => {
    mkdirSync(join(folder, '../src'));
    assert.equal(readWidgetFiles(join(folder, 'pulse-card.js'))?.publishedUrl, null);
  });

  it('returns undefined if the card has not been built', () => {
    assert.equal(readWidgetFiles(join(folder, 'none.js')), undefined);
  });
});

describe('fileRoutes()', () => {
  it('has a route for each file that is read', () => {
    const { byPath = new Map() } = readWidgetFiles(join(folder, 'pulse-card.js')) ?? {};
    const table = new RouteTable(fileRoutes(byPath));
    const missing = [...byPath.keys()].filter((path) => table.matchOf(path) === undefined);
    assert.deepEqual(missing, []);
  });
});

describe('cacheControlFor()', () => {
  for (const [path, policy] of [
    ['/pulse-card-0123456789abcdef.js', /, max-age=31536000, immutable$/],
    ['/pulse-card.js', /, max-age=300\b/],
  ] as const)
    it(`T-67 lets any cache keep ${path}, but only browsers if the BFF is mounted`, () => {
      for (const [scope, who] of [
        ['shared', /^public, /],
        ['mounted', /^private, /],
      ] as const) {
        assert.match(cacheControlFor(path, scope), who);
        assert.match(cacheControlFor(path, scope), policy);
      }
    });
});
