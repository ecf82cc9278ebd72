import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { digestOf } from './bundles.ts';
import { licensesIn } from './licenses-in.ts';

const SCRIPT = 'customElements.define("pulse-card", Card)';
const BUNDLES = [{ name: 'pulse-card.js', digest: digestOf(SCRIPT), packages: ['lit-html 3.3.3'] }];
const ZOD = 'node_modules/.pnpm/zod@4.6.7/node_modules/zod/package.json';

describe('licensesIn()', () => {
  let folder: string;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulse-licenses-in-'));
    write('dist/pulse-card.js', SCRIPT);
    write(ZOD, JSON.stringify({ name: 'zod', version: '4.6.7' }));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('finds bundled and installed packages', () => {
    const { bundled, installed } = licensesIn(folder, BUNDLES);
    assert.deepEqual([bundled, installed], [['lit-html 3.3.3'], ['zod 4.6.7']]);
  });

  it('lists each package that is missing from the notice files or has a different version there', () => {
    write('dist/THIRD-PARTY-NOTICES.txt', 'zod 4.6.6 (MIT)\n');
    assert.deepEqual(licensesIn(folder, BUNDLES).missing, ['lit-html 3.3.3', 'zod 4.6.7']);
  });

  it('finds nothing missing if the notice files are complete', () => {
    write('THIRD-PARTY-NOTICES.txt', 'zod 4.6.7 (MIT)\n');
    write('dist/THIRD-PARTY-NOTICES.txt', 'lit-html 3.3.3 (BSD-3-Clause)\n');
    assert.deepEqual(licensesIn(folder, BUNDLES).missing, []);
  });

  it('rejects a bundle that comes from a different build', () => {
    write('dist/studio/assets/index.js', '"another build"');
    assert.throws(() => licensesIn(folder, BUNDLES), /Cannot identify the packages in dist\/studio\/assets\/index\.js/);
  });
});
