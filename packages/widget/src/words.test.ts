import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { VERSION } from './version.ts';
import { ENGLISH, failureText } from './words.ts';

const FOLDER = new URL('./lang/', import.meta.url);

describe('the words of the card', () => {
  it('are there in sixteen languages', () => assert.equal(readdirSync(FOLDER).length, 15));

  for (const file of readdirSync(FOLDER)) {
    const words = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Record<string, string>;
    it(`are complete in ${file}`, () => assert.deepEqual(Object.keys(words).sort(), Object.keys(ENGLISH).sort()));
    it(`are short in ${file}`, () => assert.ok(Object.values(words).every((word) => word.trim() && word.length < 120)));
    it(`differ from each other in ${file}`, () =>
      assert.equal(new Set(Object.values(words)).size, Object.keys(words).length));
  }
});

describe('failureText()', () => {
  for (const [code, status, text] of [
    ['offline', 0, ENGLISH.offline],
    ['timeout', 0, ENGLISH.timeout],
    ['network', 0, ENGLISH.failed],
    ['invalid_answer', 200, ENGLISH.invalid_answer],
    ['invalid_source_id', 400, ENGLISH[404]],
    ['token_missing', 401, ENGLISH[403]],
    ['rate_limited', 429, ENGLISH[429]],
    ['internal', 500, ENGLISH.failed],
    ['constructor', 503, ENGLISH.failed],
    ['__proto__', 503, ENGLISH.failed],
  ] as const) {
    it(`has words for ${code}`, () => assert.equal(failureText(ENGLISH, { code, status }), text));
  }
});

describe('VERSION', () => {
  it('is that of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal(VERSION, manifest.version);
  });
});
