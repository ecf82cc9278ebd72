import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';
import { THREAT_TESTS } from './threat-tests.ts';

const TESTS = /\.(test|spec|browser)\.ts$|\/testing\/promises\/.*\.ts$/;

/** Returns the numbers of the threats, in the order of the table. */
function idsOfTable(): string[] {
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  return Array.from(page.matchAll(/^\| (T-\d\d) \| [^|]{10,} \| [^|]{5,} \|$/gm), ([, id = '']) => id);
}

/** Returns the numbers in the strings of a test file. These strings are titles of tests, or parts of titles. */
function numbersIn(file: string): Set<string> {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const texts = source.match(/(?<=[(\s[])(['"`])(?:(?!\1).)*\bT-\d\d\b(?:(?!\1).)*\1/g) ?? [];
  return new Set(texts.flatMap((text) => text.match(/\bT-\d\d\b/g) ?? []));
}

/** Returns, for each number, the test files that contain it. */
function testsById(): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  const tests = new Map<string, string[]>();
  for (const file of listed.split('\n').filter((path) => TESTS.test(path) && existsSync(join(ROOT, path)))) {
    if (file.startsWith('scripts/docs/threats.')) continue;
    for (const id of numbersIn(file)) tests.set(id, [...(tests.get(id) ?? []), file]);
  }
  return tests;
}

const ids = idsOfTable();
const tests = testsById();

describe('docs/security.md', () => {
  it('has each number once, in order', () => {
    assert.ok(ids.length > 50);
    assert.deepEqual(ids, [...new Set(ids)].toSorted());
  });

  it('has a test for each row', () => {
    assert.deepEqual(
      ids.filter((id) => !tests.has(id) && !(id in THREAT_TESTS)),
      [],
    );
  });

  it('names only tests that exist', () => {
    for (const [id, named] of Object.entries(THREAT_TESTS)) {
      assert.ok(ids.includes(id), id);
      for (const [file, title] of named) {
        const source = readFileSync(join(ROOT, 'packages/bff', file), 'utf8');
        assert.ok(
          ["'", '`'].some((quote) => source.includes(`it(${quote}${title}`)),
          `${id}: ${file}: ${title}`,
        );
      }
    }
  });

  it('has a row for each number in a test title', () => {
    assert.deepEqual(
      [...tests].filter(([id]) => !ids.includes(id)),
      [],
    );
  });
});

describe('docs/security.md', () => {
  it('lists the rows that apply to each requirement', () => {
    const lines = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('\n');
    const requirements = lines.filter((line) => /^\| \d+\.\d+\.\d+/.test(line));
    assert.ok(requirements.length > 25);
    for (const requirement of requirements) {
      const named = requirement.match(/T-\d\d/g) ?? [];
      assert.ok(named.length > 0, requirement);
      for (const id of named) assert.ok(ids.includes(id), `${id}: ${requirement}`);
    }
  });
});
