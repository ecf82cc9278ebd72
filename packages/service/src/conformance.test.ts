import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { unknownVariableWarnings } from './config.ts';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
describe('conformance.md', () => {
  it('lists an existing test for every clause of the specification', () => {
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

/** The variables that Kubernetes sets in every pod if there is a Service named `pulse-api`. */
const SERVICE_LINKS = {
  PULSE_API_SERVICE_HOST: '10.0.0.7',
  PULSE_API_SERVICE_PORT: '4010',
  PULSE_API_SERVICE_PORT_HTTP: '4010',
  PULSE_API_PORT: 'tcp://10.0.0.7:4010',
  PULSE_API_PORT_4010_TCP: 'tcp://10.0.0.7:4010',
  PULSE_API_PORT_4010_TCP_PROTO: 'tcp',
  PULSE_API_PORT_4010_TCP_PORT: '4010',
  PULSE_API_PORT_4010_TCP_ADDR: '10.0.0.7',
};

describe('unknownVariableWarnings()', () => {
  it('prints one line for all Kubernetes service links', () => {
    assert.deepEqual(unknownVariableWarnings(SERVICE_LINKS), [
      'PULSE_API_SERVICE_HOST and 7 more: ignored, because Kubernetes sets it for a Service; enableServiceLinks: false removes it',
    ]);
  });

  it('doesn’t flag the BFF’s variables as errors', () => {
    const bff = readFileSync(`${PACKAGE}../../docs/reference/configuration.md`, 'utf8');
    const names = Array.from(bff.matchAll(/^### (PULSE_\w+)$/gm), ([, name = '']) => name);
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
