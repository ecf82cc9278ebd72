import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serveVariables, unknownVariableWarnings } from './config.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const README = `${PACKAGE}README.md`;

/** What stands between the marks `<!-- name -->` and `<!-- /name -->`. */
function section(name: string): string {
  const text = readFileSync(README, 'utf8').split(`<!-- ${name} -->\n`)[1]?.split(`<!-- /${name} -->`)[0];
  assert.ok(text !== undefined, `README.md has no section ${name}`);
  return text;
}

function variablesTable(): string {
  const rows = Object.entries(serveVariables.shape).map(([name, schema]) => {
    const read = schema.safeParse(undefined).data;
    return `| \`${name}\` | ${read === undefined ? 'none' : `\`${String(read)}\``} | ${schema.meta()?.description} |\n`;
  });
  return `| variable | default | |\n|---|---|---|\n${rows.join('')}`;
}

describe('README.md', () => {
  it('lists every variable with its default, as config.ts has them', () => {
    if (process.env['UPDATE_README'] === '1') {
      const readme = readFileSync(README, 'utf8').replace(section('variables'), variablesTable());
      writeFileSync(README, readme);
    }
    assert.equal(section('variables'), variablesTable());
  });

  it('names a test for every clause of the specification, and every test it names is there', () => {
    const rows = section('clauses')
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
    const bff = readFileSync(`${PACKAGE}../bff/README.md`, 'utf8');
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
