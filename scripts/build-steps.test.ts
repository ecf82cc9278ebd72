import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packageSteps, checkFolder, startSteps } from './build-steps.ts';

describe('checkFolder()', () => {
  it('accepts spaces and letters of any language, but not the characters that begin a URL’s query or fragment', () => {
    checkFolder('/tmp/sp ace ü%41&');
    for (const path of ['/tmp/c#', '/tmp/a?']) assert.throws(() => checkFolder(path), /^Error: Can’t build in \/tmp/);
  });
});

describe('startSteps()', () => {
  it('builds the scripts and writes them to the folder that the BFF serves', () => {
    const titles = startSteps().map(({ title }) => title);
    const scripts = packageSteps()
      .map(({ title }) => title)
      .filter((title) => /pulse-card\.js|pulse-board\.js|iframes|files that pages load/.test(title));
    assert.equal(scripts.length, 4);
    assert.deepEqual(
      titles.filter((title) => scripts.includes(title)),
      scripts,
    );
  });
});
