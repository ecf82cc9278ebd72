import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unknownVariableWarnings } from './config.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
describe('conformance.md', () => {
  it('names a test for every clause of the specification, and every test it names is there', () => {
    const rows = readFileSync(`${PACKAGE}conformance.md`, 'utf8')
      .split('\n')
      .filter((line) => /^\| \d+ \|/.test(line));
    assert.deepEqual(
      rows.map((row) => Number(row.split('|')[1])),
      rows.map((_, index) => index + 1),
    );
    for (const row of rows) {
      const named = [...row.matchAll(/`([^`]+\.ts)` › (.+?)(?=<br>| \|$)/g)];
      assert.ok(named.length > 0, row);
      for (const [, file, title] of named) assertTest(file!, title!);
    }
  });
});

describe('unknownVariableWarnings()', () => {
  it('takes no variable of the BFF for a mistake', () => {
    const bff = readFileSync(`${PACKAGE}../../docs/reference/configuration.md`, 'utf8');
    const names = Array.from(bff.matchAll(/^\| `(PULSE_\w+)`/gm), ([, name = '']) => name);
    assert.ok(names.length > 10);
    assert.deepEqual(unknownVariableWarnings(Object.fromEntries(names.map((name) => [name, 'x']))), []);
  });
});

function assertTest(file: string, title: string): void {
  const path = PACKAGE + file.replace(/^P\//, 'src/testing/promises/');
  assert.ok(existsSync(path), path);
  const source = readFileSync(path, 'utf8');
  assert.ok(source.includes(`it('${title}'`) || source.includes(`it("${title}"`), `${file}: ${title}`);
}
