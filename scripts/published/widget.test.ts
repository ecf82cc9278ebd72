import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Ajv, type AnySchema } from 'ajv';
import { elementsOf, type Manifest } from '../../packages/widget/build/manifest.ts';
import { consumerOf, examplesIn, typeFaults } from './consumer.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** Files that are compiled together. JSX is compiled with a custom function and with the real types of each library. */
const PROJECTS = [
  { files: ['react.tsx'], options: { jsx: 'react-jsx' } },
  { files: ['jsx.tsx'], options: { jsx: 'react', jsxFactory: 'h' } },
  { files: ['jsx-react.tsx'], options: { jsx: 'react-jsx' } },
  { files: ['jsx-preact.tsx'], options: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
  { files: ['jsx-solid.tsx'], options: { jsx: 'preserve', jsxImportSource: 'solid-js' } },
  { files: ['vue.ts', 'svelte.ts', 'plain.ts'], options: {} },
];

const consumer = consumerOf('packages/widget', ['react-dom', 'vitest', 'jsdom']);
const { installed, facts, folder } = consumer;
const manifest = readJson(installed, 'custom-elements.json') as Manifest;
const elements = elementsOf(manifest);
const tags = elements.map(({ tagName = '' }) => tagName);

after(() => consumer.close());

describe('The published @pulse-card/widget', () => {
  it('contains every file that package.json lists', () => {
    const named = [...pathsIn(facts['exports']), ...pathsIn(facts['contributes']), facts['customElements']];
    const missing = [...named, facts['web-types']].filter((path) => !existsSync(join(installed, String(path))));
    assert.deepEqual(missing, []);
  });

  it('needs only published packages', () => {
    const text = JSON.stringify({ ...facts.dependencies, ...facts.peerDependencies });
    assert.doesNotMatch(text, /workspace:|catalog:/);
    assert.deepEqual(Object.keys(facts.dependencies ?? {}), ['@pulse-card/contract', 'lit']);
  });

  for (const entry of [
    '',
    '/elements',
    '/react',
    '/jsx',
    '/jsx/react',
    '/jsx/preact',
    '/jsx/solid',
    '/vue',
    '/svelte',
    '/snippet',
    '/server',
    '/testing',
  ]) {
    it(`can be imported as "@pulse-card/widget${entry}" without a document`, () => {
      const { status, stderr } = runModule(`await import('@pulse-card/widget${entry}')`);
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  for (const { files, options } of PROJECTS) {
    it(`has types that accept the correct code and reject the wrong code in ${files.join(', ')}`, () => {
      for (const file of files) cpSync(join(FIXTURES, file), join(folder, file));
      assert.equal(typeFaults(folder, files, options), '');
    });
  }
});

describe('@pulse-card/widget/react', () => {
  it('has a component for each element of the manifest, and a provider', () => {
    const { stdout } = runModule(`console.log(Object.keys(await import('@pulse-card/widget/react')).join(' '))`);
    assert.deepEqual(stdout.trim().split(' '), [...elements.map(({ name = '' }) => name).sort(), 'PulseProvider']);
  });

  it('renders attributes and content on a server, but no secret', () => {
    const { stdout, stderr } = runModule(`
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      import { PulseCard } from '@pulse-card/widget/react';
      const props = {
        sourceId: 'src_1', headingLevel: 2, chartTheme: 'auto', open: true, live: false, className: 'wide',
        pulse: { jobRunId: 'run_1' }, tokenProvider: () => 'secret', token: 'secret', reader: 'bob', onPulseLoad() {},
      };
      console.log(renderToString(createElement(PulseCard, props, createElement('a', { href: '/q2' }, 'Q2'))));
    `);
    assert.equal(stderr, '');
    assert.equal(
      stdout.trim(),
      '<pulse-card source-id="src_1" heading-level="2" chart-theme="auto" open="" class="wide" defer-hydration=""><a href="/q2">Q2</a></pulse-card>',
    );
  });

  it('marks its components as client components for React', () => {
    assert.match(readFileSync(join(installed, 'dist/npm/react/index.js'), 'utf8'), /^'use client';/);
  });
});

describe('An application’s vitest tests', () => {
  const files = examplesIn('docs/test-your-portal.md', 'scripts/published/widget.test.ts').map((example, index) => {
    const file = `portal-${index + 1}.test.ts`;
    writeFileSync(join(folder, file), example);
    return file;
  });

  it('can use the types in the examples in docs/test-your-portal.md', () =>
    assert.equal(typeFaults(folder, files), ''));

  it('need no configuration to use React components and to run these examples with jsdom', () => {
    cpSync(join(FIXTURES, 'react.test.tsx'), join(folder, 'react.test.tsx'));
    const { output, status } = runVitest(['react.test.tsx', ...files], 'jsdom');
    assert.equal(status, 0, output);
  });
});

describe('custom-elements.json', () => {
  it('is valid according to the schema of manifests', () => {
    assert.deepEqual(faultsBy('custom-elements-manifest/schema.json', manifest), []);
  });

  it('lists only modules that the package exports', () => {
    const paths = [...JSON.stringify(manifest).matchAll(/"(?:path|module)":"([^"]+)"/g)].map(([, path = '']) => path);
    assert.ok(paths.length > 10);
    const exported = new Set(pathsIn(facts['exports']).map((path) => path.replace('./', '')));
    assert.deepEqual(
      paths.filter((path) => !exported.has(path)),
      [],
    );
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(installed, path))),
      [],
    );
  });

  it('lists each attribute’s property, and only members that pages can use', () => {
    for (const { attributes = [], members = [] } of elements) {
      assert.deepEqual(
        attributes.filter(({ fieldName }) => !fieldName),
        [],
      );
      assert.deepEqual(
        members.filter(({ name = '', privacy }) => name.startsWith('#') || privacy === 'private'),
        [],
      );
    }
  });

  it('lists the module that defines each element', () => {
    const module = manifest.modules.find(({ path }) => path === 'dist/npm/index.js');
    const definitions = module?.exports.filter(({ kind }) => kind === 'custom-element-definition');
    assert.deepEqual(
      definitions?.map(({ name, declaration }) => [name, declaration.name]),
      elements.map(({ tagName, name }) => [tagName, name]),
    );
  });

  it('lists the static members of each element, and the parts of the cards on a board', () => {
    const [card, board] = elements;
    const statics = (card?.members ?? []).filter((member) => member.static).map(({ name }) => name);
    assert.deepEqual(new Set(statics), new Set(['forgetTokens', 'registerTranslation', 'version']));
    const parts = new Set(namesOf(board?.cssParts ?? []));
    assert.deepEqual(
      namesOf(card?.cssParts ?? []).filter((name) => !parts.has(name)),
      [],
    );
  });
});

describe('The data for editors', () => {
  const html = readJson(installed, 'dist/editor/vscode.html-custom-data.json') as Versioned & { tags: Tag[] };
  const css = readJson(installed, 'dist/editor/vscode.css-custom-data.json') as Versioned & { properties: Named[] };
  const types = readJson(installed, String(facts['web-types'])) as WebTypes;

  it('has the format of custom data: its version, and a name and a description for each entry', () => {
    assert.deepEqual([html.version, css.version], [1.1, 1.1]);
    const entries = [...html.tags, ...html.tags.flatMap(({ attributes }) => attributes), ...css.properties];
    assert.deepEqual(
      entries.filter(({ name, description }) => !name || !description),
      [],
    );
  });

  it('lists each element with all of its attributes, for VS Code and for JetBrains editors', () => {
    const wanted = elements.map(({ tagName, attributes = [] }) => [tagName, namesOf(attributes)]);
    const read = (all: readonly Tag[]): unknown => all.map(({ name, attributes }) => [name, namesOf(attributes)]);
    assert.deepEqual(read(html.tags), wanted);
    assert.deepEqual(read(types.contributions.html.elements), wanted);
  });

  it('offers the values that an attribute can have', () => {
    const variant = html.tags
      .find(({ name }) => name === 'pulse-card')
      ?.attributes.find(({ name }) => name === 'variant');
    assert.deepEqual(namesOf(variant?.values ?? []), ['card', 'compact', 'chart', 'text']);
  });

  it('lists each custom property', () => {
    const wanted = elements.flatMap(({ cssProperties = [] }) => namesOf(cssProperties));
    assert.deepEqual(namesOf(css.properties), [...new Set(wanted)]);
  });

  it('contains this package’s version', () => {
    assert.deepEqual([types.name, types.version], [facts.name, facts.version]);
  });
});

describe('HTMLElementTagNameMap', () => {
  it('maps each element to its exported class', () => {
    const lines = elements.map(
      ({ tagName, name }) => `document.createElement('${tagName}') satisfies import('@pulse-card/widget').${name};`,
    );
    writeFileSync(join(folder, 'tags.ts'), ["import '@pulse-card/widget';", ...lines].join('\n'));
    assert.equal(typeFaults(folder, ['tags.ts']), '');
    assert.ok(tags.includes('pulse-card'));
  });
});

interface Versioned {
  readonly version: number;
}

interface Named {
  readonly name?: string;
  readonly description?: unknown;
}

interface Tag extends Named {
  readonly attributes: readonly (Named & { readonly values?: readonly Named[] })[];
}

interface WebTypes {
  readonly name: string;
  readonly version: string;
  readonly contributions: { readonly html: { readonly elements: readonly Tag[] } };
}

function namesOf(entries: readonly Named[]): (string | undefined)[] {
  return entries.map(({ name }) => name);
}

/** Every path in a value of package.json. */
function pathsIn(part: unknown): string[] {
  if (typeof part === 'string') return part.startsWith('./') ? [part] : [];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(pathsIn) : [];
}

/** Runs a module in the consumer's folder, with a Node that doesn't use our sources. */
function runModule(source: string): { stdout: string; stderr: string; status: number | null } {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd: folder, env, encoding: 'utf8' });
}

function runVitest(files: readonly string[], environment: string): { output: string; status: number | null } {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...files, '--environment', environment],
    {
      cwd: folder,
      env: { ...env, NO_COLOR: '1' },
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  return { output: stdout + stderr, status };
}

function faultsBy(schemaPath: string, data: unknown): readonly unknown[] {
  const schema = readJson(createRequire(import.meta.url).resolve(schemaPath)) as AnySchema;
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.validate(schema, data);
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}
