import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { ERROR_TEXTS } from '../../packages/bff/src/http/errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../../packages/contract/src/index.ts';
import { parseDocument } from '../../packages/service/src/import/document-schema.ts';
import { ROOT } from '../run.ts';
import { START_PORTS } from '../start/addresses.ts';
import { chooseSuites } from '../test/suites.ts';
import { documentationPages } from './documentation-pages.ts';

/** Codes that only the elements create, in `pulse-error`. */
const ELEMENT_CODES = ['network', 'timeout', 'invalid_answer'];

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const TROUBLESHOOT = ['troubleshoot', 'troubleshoot-server']
  .map((page) => textOf(`docs/operate/${page}.md`))
  .join('\n');
const ELEMENTS = textOf('docs/reference/elements.md');
const CONFIGURATION = textOf('docs/reference/configuration.md');

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

const BLOCKS: readonly Block[] = documentationPages().flatMap((page) =>
  Array.from(textOf(page).matchAll(/```(\w+)\n([^]*?)```/g), ([, language = '', code = '']) => ({
    page,
    language,
    code,
  })),
);

const blocksIn = (...languages: string[]) => BLOCKS.filter(({ language }) => languages.includes(language));

/** Returns the fixed parts of text with placeholders, if they are long enough to search for. */
function fixedParts(template: string): string[] {
  const parts = template.replaceAll('\\n', '\n').split(/\$\{x\}|" \+ [\w.]+ \+ (?:\(.*?\? )?"/);
  return parts.map((part) => part.trim()).filter((part) => part.length > 8);
}

/** Returns the strings in a source file that the first group of `pattern` matches. */
function textsIn(file: string, pattern: RegExp): string[] {
  const code = textOf(file)
    .replaceAll(/\/\*\*?[^]*?\*\//g, '')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '${x}');
  return Array.from(code.matchAll(pattern), ([, text = '']) => text);
}

describe('The pages for troubleshooting', () => {
  for (const code of [...Object.keys(ERROR_STATUS), ...ELEMENT_CODES]) {
    it(`have a heading for ${code}`, () => assert.ok(TROUBLESHOOT.includes(`\n### ${code}\n`)));
  }

  it('have the line of every failure that the card logs to the console', () => {
    const template = /`([^`\n]+)`/g;
    const file = 'packages/widget/src/after-paint/explain-failure.ts';
    const lines = [
      ...textsIn(file, template).filter((text) => !text.startsWith('URL.')),
      ...textsIn(file, /'([^'\n]* [^'\n]*)'/g).filter((text) => !/ [!=]==/.test(text)),
    ];
    assert.ok(lines.length >= 5, String(lines.length));
    assertDisplayed(lines);
  });

  it('quote the BFF’s messages in console lines', () => {
    const lines = Array.from(
      TROUBLESHOOT.matchAll(/`… \(\d+ (\w+)\): ([A-Z][^`]+)`/g),
      ([, code, words]) => [code, words] as const,
    );
    assert.ok(lines.length >= 4, String(lines));
    for (const [code, words] of lines) assert.equal(words, ERROR_TEXTS[code as ErrorCode]);
  });

  it('have all other lines that the widget logs to the console', () => {
    const files = globSync('packages/widget/{src,build}/**/*.ts', { cwd: ROOT });
    const sources = files.filter((file) => !/testing\/|\.test\.ts$/.test(file));
    const calls = sources.flatMap((file) => textsIn(file, /(?:warnOnce|console\.\w+)\(\s*[`"']([^\n]+?)[`"']\s*\)/g));
    const lines = calls.map((line) => line.replace('pulse-card: ', '')).filter((line) => line !== '${x}');
    assert.ok(lines.length >= 3, String(lines));
    assertDisplayed(lines);
  });

  it('has every warning that the BFF logs', () => {
    const files = globSync('packages/bff/src/**/*.ts', { cwd: ROOT }).filter(
      (file) => !/testing\/|\.test\.ts$/.test(file) && !file.endsWith('cli/program.ts'),
    );
    const call = String.raw`(?:\bwarn\??\.?|#warn|#complain|\bfaultReporter|\bonFault|logger\.(?:warn|error|fatal))\((?:\{[^}]*\}, )?\s*`;
    const named = files.flatMap((file) => textsIn(file, new RegExp(`${call}([A-Z][A-Z_]{4,})\\)`, 'g')));
    const constants = named.flatMap((name) =>
      files.flatMap((file) => textsIn(file, new RegExp(`const ${name} =\\s*['\`]([^'\`\\n]+)['\`]`, 'g'))),
    );
    assert.equal(constants.length, named.length, String(named));
    const direct = files.flatMap((file) => textsIn(file, new RegExp(`${call}['\`]([^'\`\\n]{12,})['\`]`, 'g')));
    const returned = [
      ['config.ts', /`(\$\{x\} uses[^`\n]*:[^`\n]+)`/g],
      ['config/names.ts', /`(\$\{x\} isn’t a variable[^`\n]+)`/g],
      ['features/mount/authorize.ts', /`(authorize\(\) failed[^`\n]+)`/g],
      ['cli/serve.ts', /`(The admin port[^`\n]+)`/g],
    ] as const;
    const indirect = returned.flatMap(([file, pattern]) => {
      const [line, ...others] = textsIn(`packages/bff/src/${file}`, pattern);
      assert.ok(line !== undefined && others.length === 0, file);
      return line;
    });
    assert.ok(direct.length >= 15, String(direct.length));
    for (const line of [...constants, ...direct, ...indirect]) {
      const words = fixedParts(line).flatMap((part) => part.split(/[:,] |: ?$| \($/));
      const first = words.find((part) => part.length > 8 && !/^PULSE_\w+$/.test(part));
      assert.ok(first !== undefined && TROUBLESHOOT.includes(first), line);
    }
  });

  it('has the headline of every problem', () => {
    const lines = textsIn(
      'packages/bff/src/features/status/problems.ts',
      /[`'](?:(?=[A-Z])|(?=\$\{x\} of))([^`'\n]{15,})[`']/g,
    )
      .filter((text) => !/^(?:Charts are|Look at|Until then|Readers |The last charts can)/.test(text))
      .map((text) => text.split('. ')[0] ?? text);
    assert.ok(lines.length >= 18, String(lines.length));
    for (const line of lines) {
      const parts = fixedParts(line).flatMap((part) => part.split(/[:,;] |\. |: ?$| \(|\.$/));
      assert.ok(
        parts.some((part) => part.length > 8 && TROUBLESHOOT.includes(part)),
        line,
      );
    }
  });

  it('has the lines about rejected origins', () => {
    const lines = textsIn('packages/bff/src/http/origins.ts', /[`']([^`'\n]+(?:, add|; serve)[^`'\n]+)[`']/g);
    assert.equal(lines.length, 3);
    for (const line of lines) {
      const first = fixedParts(line).find((part) => part.length > 8) ?? '';
      assert.ok(TROUBLESHOOT.includes(first.split('; ')[0] ?? first), line);
    }
  });

  function assertDisplayed(lines: readonly string[]): void {
    for (const line of lines)
      for (const part of fixedParts(line)) assert.ok(TROUBLESHOOT.includes(part), `${part} in ${line}`);
  }
});

describe('The page about chats', () => {
  it('quotes messages of pulse-mcp as the code has them', () => {
    const quoted = Array.from(textOf('docs/chat.md').matchAll(/^\| "([^"]+)" \|/gm), ([, words = '']) => words);
    assert.ok(quoted.length >= 6, String(quoted));
    const messages = textOf('packages/mcp/src/bff-error.ts');
    assert.deepEqual(
      quoted.filter((words) => !messages.includes(words)),
      [],
    );
  });
});

/** Variables that no reference page lists: the ports of `npm start`. */
const ALSO_READ = new Set<string>([...Object.values(START_PORTS).map(({ variable }) => variable), 'PULSE_']);

describe('The documentation', () => {
  it('mentions only variables that are read', () => {
    const known = new Set(CONFIGURATION.match(/\bPULSE_[A-Z_]+\b/g));
    for (const page of documentationPages())
      for (const name of textOf(page).match(/\bPULSE_[A-Z_]+\b/g) ?? [])
        assert.ok(known.has(name) || ALSO_READ.has(name), `${page}: ${name}`);
  });

  it('mentions only existing custom properties, parts, states, and attributes', () => {
    const used = documentationPages().flatMap((page) => [
      ...(textOf(page).match(/--pulse-(?:card|board)-[\w-]+/g) ?? []),
      ...Array.from(textOf(page).matchAll(/::part\((\w+)\)/g), ([, name]) => `\`${name}\``),
      ...Array.from(textOf(page).matchAll(/:state\((\w+)\)/g), ([, name]) => `:state(${name})`),
      ...Array.from(textOf(page).matchAll(/slot="(\w+)"/g), ([, name]) => `\`${name}\``),
    ]);
    assert.ok(used.length > 20);
    for (const name of used) assert.ok(ELEMENTS.includes(name), name);
  });

  it('mentions only files and folders that exist, except for what a build creates', () => {
    const path = /`((?:bench|demo|e2e|examples|packages|scripts)\/[\w./-]*[\w/])`|\b(deploy\/[\w./-]+\.[a-z]+)\b/g;
    const pages = [...documentationPages(), 'ARCHITECTURE.md', 'RELEASING.md', '.github/CONTRIBUTING.md'];
    const named = pages.flatMap((page) =>
      Array.from(textOf(page).matchAll(path), ([, quoted, file]) => [page, quoted ?? file ?? ''] as const),
    );
    assert.ok(named.length > 40);
    for (const [page, file] of named)
      assert.ok(existsSync(join(ROOT, file)) || file.includes('/dist/'), `${page}: ${file}`);
  });

  it('has only npm test commands that run a test', () => {
    const pages = [...documentationPages(), '.github/CONTRIBUTING.md', '.github/GOOD_FIRST_ISSUES.md', 'e2e/README.md'];
    const commands = pages.flatMap((page) =>
      Array.from(textOf(page).matchAll(/npm test -- ((?:[\w./-]+ ?)+)/g), ([, words = '']) =>
        words
          .trim()
          .split(' ')
          .filter((word) => !word.startsWith('--')),
      ),
    );
    assert.ok(commands.length > 10);
    for (const filters of commands)
      assert.doesNotThrow(() => chooseSuites({ filters, isLong: true }), filters.join(' '));
  });

  it('mentions only ports on localhost that a server uses by default', () => {
    const defaults = new Set([
      ...(CONFIGURATION.match(/(?<=PORT=)\d+/g) ?? []),
      ...Object.values(START_PORTS).map(({ fallback }) => String(fallback)),
    ]);
    const ports = documentationPages().flatMap(
      (page) => textOf(page).match(/(?<=(?:localhost|127\.0\.0\.1):)40\d\d/g) ?? [],
    );
    assert.ok(ports.length > 5);
    for (const port of ports) assert.ok(defaults.has(port), port);
  });

  it('has JSON and YAML that can be parsed', () => {
    for (const { page, code } of blocksIn('json')) assert.doesNotThrow(() => JSON.parse(code) as unknown, page);
    for (const { page, code } of blocksIn('yaml')) assert.doesNotThrow(() => parse(code) as unknown, page);
  });

  it('has TypeScript and JavaScript that can be parsed', () => {
    const blocks = blocksIn('ts', 'js');
    assert.ok(blocks.length > 5);
    for (const { page, code } of blocks) assert.doesNotThrow(() => stripTypeScriptTypes(code), `${page}: ${code}`);
  });

  it('has shell commands that can be parsed', () => {
    const blocks = blocksIn('sh');
    assert.ok(blocks.length > 8);
    for (const { code } of blocks) execFileSync('bash', ['-n'], { input: code });
  });
});

describe('docs/operate/static-export.md', () => {
  it('has a cron line that passes its variables to the export', () => {
    const [, command = ''] = /^\*\/15 \* \* \* \* {2}\w+ {2}(.+)$/m.exec(textOf('docs/operate/static-export.md')) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'pulse-cron-'));
    try {
      writeFileSync(join(folder, 'export.env'), 'PULSE_BASE_URL=https://api.example.com\n');
      writeFileSync(join(folder, 'pulse-bff'), '#!/bin/sh\necho "$* $PULSE_BASE_URL"\n', { mode: 0o755 });
      const log = join(folder, 'log');
      const here = command
        .replace('/etc/pulse-card/export.env', join(folder, 'export.env'))
        .replace(/>> \S+/, `>> ${log}`);
      execFileSync('sh', ['-c', here], { env: { PATH: `${folder}:${process.env['PATH']}` } });
      assert.equal(readFileSync(log, 'utf8'), 'export /srv/cards https://api.example.com\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('packages/service/README.md', () => {
  it('has an import document that the service accepts', () => {
    const [block] = blocksIn('json').filter(({ page }) => page === 'packages/service/README.md');
    assert.ok('document' in parseDocument(JSON.parse(block?.code ?? '{}')));
  });
});

describe('docs/cards/accessibility.md', () => {
  it('gives the number of languages, and their sizes', () => {
    const files = globSync('packages/widget/src/i18n/lang/*', { cwd: ROOT });
    const kilobytes = files.map((file) => Buffer.byteLength(JSON.stringify(JSON.parse(textOf(file)))) / 1_000);
    const sizes = `${Math.min(...kilobytes).toFixed(1)} to ${Math.max(...kilobytes).toFixed(1)} kB`;
    const page = textOf('docs/cards/accessibility.md');
    assert.ok(page.includes(` ${files.length} other languages`) && page.includes(sizes), `${files.length}, ${sizes}`);
  });
});

describe('deploy/monitoring/', () => {
  for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
    it(`uses only existing metrics in ${file}`, () => {
      const metrics = textOf('docs/reference/log.md');
      const names = textOf(`deploy/monitoring/${file}`).match(/\bpulse_bff_[a-z_]+/g) ?? [];
      assert.ok(names.length > 8);
      for (const name of names) assert.ok(metrics.includes(`\`${name.replace(/_bucket$/, '')}\``), name);
    });
  }

  const { groups } = parse(textOf('deploy/monitoring/alerts.yml')) as { groups: { rules: { alert?: string }[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));

  it('has an explanation of every alert', () => {
    assert.ok(alerts.length > 10);
    for (const alert of alerts) assert.ok(textOf('docs/operate/monitor.md').includes(`\`${alert}\``), alert);
  });

  it('has a test for every alert', () => {
    const tests = textOf('e2e/packaging/alerts.test.yml');
    for (const alert of alerts) assert.ok(tests.includes(`alertname="${alert}"`), alert);
  });
});
