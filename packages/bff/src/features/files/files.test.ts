import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { widgetFiles } from './files.ts';

describe('widgetFiles()', () => {
  it('lists scripts and languages, but not their compressed copies', () => {
    using folder = temporaryFolder();
    const names = ['pulse-card.js', 'pulse-card.js.br', 'pulse-card.js.gz', 'pulse-card-lang/de-0.1.0.json'];
    for (const name of ['src', 'dist/web/pulse-card-lang']) mkdirSync(folder.file(name), { recursive: true });
    for (const name of names) writeFileSync(folder.file(`dist/web/${name}`), '');
    const paths = widgetFiles(folder.file('dist'))?.paths ?? [];
    assert.deepEqual([...paths].toSorted(), ['/pulse-card-lang/de-0.1.0.json', '/pulse-card.js']);
  });
});
