import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../scripts/run.ts';

/** The numbers that the table has: 49 and 57 to 59 were never given. */
const NUMBERS = [...numbersFrom(1, 48), ...numbersFrom(50, 56), ...numbersFrom(60, 68)];

const TESTS = /\.(test|spec|browser)\.ts$|\/testing\/promises\/.*\.ts$/;

interface Row {
  readonly id: string;
  readonly last: string;
  readonly files: readonly string[];
}

function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function rowsOfTable(): Row[] {
  const lines = readFileSync(join(ROOT, 'docs/threats.md'), 'utf8').split('\n');
  return lines
    .filter((line) => /^\| T-\d\d \|/.test(line))
    .map((line) => {
      const cells = line.split(' | ');
      const last = cells.at(-1) ?? '';
      return {
        id: line.slice(2, 6),
        last,
        files: Array.from(last.matchAll(/`([^`]+\.ts)`/g), ([, file = '']) => file),
      };
    });
}

/** The numbers in a file's texts, so in titles of tests or in what titles are made from. */
function numbersIn(file: string): Set<string> {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const texts = source.match(/(?<=[(\s[])(['"`])(?:(?!\1).)*\bT-\d\d\b(?:(?!\1).)*\1/g) ?? [];
  return new Set(texts.flatMap((text) => text.match(/\bT-\d\d\b/g) ?? []));
}

const rows = rowsOfTable();

describe('docs/threats.md', () => {
  it('has a row for each number, in order', () => {
    assert.deepEqual(
      rows.map(({ id }) => id),
      NUMBERS.map((number) => `T-${String(number).padStart(2, '0')}`),
    );
  });

  for (const { id, last, files } of rows) {
    it(`names tests of ${id} that name it, or says why it does not apply`, () => {
      assert.ok(files.length > 0 !== /^Does not apply: .{20,}/.test(last), last);
      for (const file of files) {
        assert.ok(existsSync(join(ROOT, file)), file);
        assert.ok(numbersIn(file).has(id), `${file} has no title with ${id}`);
      }
    });
  }

  it('names every test that names a row', () => {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
    for (const file of listed.split('\n').filter((path) => TESTS.test(path) && existsSync(join(ROOT, path)))) {
      if (file.startsWith('tools/threats.')) continue;
      for (const id of numbersIn(file)) {
        assert.ok(rows.find((row) => row.id === id)?.files.includes(file), `${id} does not name ${file}`);
      }
    }
  });
});

describe('SECURITY.md', () => {
  it('names for each requirement rows that apply', () => {
    const lines = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').split('\n');
    const requirements = lines.filter((line) => /^\| \d+\.\d+\.\d+/.test(line));
    assert.ok(requirements.length > 25);
    for (const requirement of requirements) {
      const ids = requirement.match(/T-\d\d/g) ?? [];
      assert.ok(ids.length > 0, requirement);
      for (const id of ids)
        assert.ok((rows.find((row) => row.id === id)?.files.length ?? 0) > 0, `${id}: ${requirement}`);
    }
  });
});
