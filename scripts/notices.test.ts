import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from './run.ts';
import { noticesText, type ThirdParty } from './notices.ts';

const lit: ThirdParty = {
  name: 'lit',
  version: '3.0.0',
  identifier: 'BSD-3-Clause',
  author: 'Google LLC',
  text: 'BSD 3-Clause License\n\nCopyright (c) 2017 Google LLC.\n\nRedistribution is permitted.',
};

describe('noticesText()', () => {
  it('lists the declared license and the author’s copyright for a package without a license file', () => {
    const text = noticesText('server.js', [lit, { ...lit, name: 'shim', author: 'Ada', text: '' }]);
    const [, notice = ''] = text.split('shim 3.0.0');
    assert.match(notice, /Copyright \(c\) Ada\n[^]*Redistribution is permitted\./);
    assert.doesNotMatch(notice, /Google/);
  });
});

describe('The built scripts', () => {
  for (const name of ['pulse-card.js', 'pulse-board.js'])
    it(`begin with a comment that mentions Lit and its license file: ${name}`, () =>
      assert.match(
        read(`packages/widget/dist/${name}`),
        /^\/\*! Contains Lit \(BSD-3-Clause\): THIRD-PARTY-NOTICES\.txt \*\//,
      ));

  it('come with the licenses of all bundled packages', () => {
    const notices = read('packages/widget/dist/THIRD-PARTY-NOTICES.txt');
    for (const name of ['lit', 'lit-html', 'lit-element', '@lit/reactive-element', '@lit-labs/ssr', 'parse5'])
      assert.match(notices, new RegExp(`^${name} \\d`, 'm'));
    assert.match(notices, /Copyright \(c\) 2017 Google LLC/);
  });
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
