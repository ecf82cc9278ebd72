import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { snippetFor } from '../packages/widget/src/snippet.ts';
import { ROOT } from '../scripts/run.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('README.md', () => {
  it('shows the snippet that snippetFor() makes', () => {
    const shown = /<!-- snippet -->\n```html\n([\s\S]*?)```/.exec(README)?.[1]?.trim();
    const made = snippetFor({ sourceId: 'src_01JZ8R2M', baseUrl: 'https://pulse.example.com', name: 'Q2 revenue' });
    assert.equal(shown, made.trim());
  });

  it('names only files that are there', () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)\)|srcset="([^"]+)"|src="(docs[^"]+)"/g)];
    const files = links.map(([, link, srcset, src]) => link ?? srcset ?? src ?? '');
    assert.ok(files.length > 0);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(ROOT, file))),
      [],
    );
  });

  it('names only commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const commands = [...README.matchAll(/`npm (?:run )?(\w+)`/g)].map(([, name]) => name ?? '');
    assert.deepEqual(
      commands.filter((name) => !(name in scripts)),
      [],
    );
  });
});
