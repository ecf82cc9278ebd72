import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { consumerOf, examplesIn, typeFaults } from '../../testkit/src/installed-package.ts';
import { ROOT } from '../../testkit/src/root.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** The package's entries. */
const ENTRIES = [
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
];

/** Files that are compiled together. JSX is compiled with a custom function and with the real types of each library. */
const PROJECTS = [
  { files: ['react.tsx'], options: { jsx: 'react-jsx' } },
  { files: ['jsx.tsx'], options: { jsx: 'react', jsxFactory: 'h' } },
  { files: ['jsx-react.tsx'], options: { jsx: 'react-jsx' } },
  { files: ['jsx-preact.tsx'], options: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
  { files: ['jsx-solid.tsx'], options: { jsx: 'preserve', jsxImportSource: 'solid-js' } },
  { files: ['vue.ts', 'svelte.ts', 'plain.ts'], options: {} },
];

/** The libraries' own types are checked once, because that takes most of the time. */
const WITHOUT_LIBRARIES = { skipLibCheck: true };

const consumer = consumerOf('packages/widget', ['react-dom', 'vitest', 'jsdom']);
const { installed, facts, folder } = consumer;

after(() => consumer.close());

describe('The published @pulse-card/widget', () => {
  for (const entry of ENTRIES) {
    it(`can be imported as "@pulse-card/widget${entry}" without a document`, () => {
      const { status, stderr } = runModule(`await import('@pulse-card/widget${entry}')`);
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  it('marks its React components as client components', () =>
    assert.match(readFileSync(join(installed, 'dist/npm/react/index.js'), 'utf8'), /^'use client';/));

  it('has types that contain no errors, in a project that checks its libraries', () => {
    writeFileSync(join(folder, 'all.ts'), ENTRIES.map((entry) => `import '@pulse-card/widget${entry}';\n`).join(''));
    assert.equal(typeFaults(folder, ['all.ts']), '');
  });

  for (const { files, options } of PROJECTS) {
    it(`has types that accept the correct code and reject the wrong code in ${files.join(', ')}`, () => {
      for (const file of files) cpSync(join(FIXTURES, file), join(folder, file));
      assert.equal(typeFaults(folder, files, { ...options, ...WITHOUT_LIBRARIES }), '');
    });
  }
});

describe('An application’s vitest tests', () => {
  const files = examplesIn('docs/test-your-portal.md', 'packages/widget/published/widget.test.ts').map(
    (example, index) => {
      const file = `portal-${index + 1}.test.ts`;
      writeFileSync(join(folder, file), example);
      return file;
    },
  );

  it('can use the types in the examples in docs/test-your-portal.md', () =>
    assert.equal(typeFaults(folder, files, WITHOUT_LIBRARIES), ''));

  it('can use React components and run these examples with jsdom without any configuration', () => {
    cpSync(join(FIXTURES, 'react.test.tsx'), join(folder, 'react.test.tsx'));
    const { output, status } = runVitest(['react.test.tsx', ...files], 'jsdom');
    assert.equal(status, 0, output);
  });

  it('show that the Svelte component in docs/cards/frameworks.md updates its card', () => {
    const page = readFileSync(join(ROOT, 'docs/cards/frameworks.md'), 'utf8');
    const [, example = ''] = /```svelte\n(.*?bind:this.*?)```/s.exec(page) ?? [];
    writeFileSync(join(folder, 'Example.svelte'), example);
    writeFileSync(join(folder, 'state.svelte.js'), 'export const state = $state({ pulse: null });');
    cpSync(join(FIXTURES, 'svelte-component.ts'), join(folder, 'svelte.test.ts'));
    cpSync(join(FIXTURES, 'svelte.config.mjs'), join(folder, 'svelte.config.mjs'));
    const { output, status } = runVitest(['svelte.test.ts', '--config', 'svelte.config.mjs'], 'jsdom');
    assert.equal(status, 0, output);
  });
});

describe('custom-elements.json', () => {
  it('lists only modules that the package exports', () => {
    const manifest = readFileSync(join(installed, 'custom-elements.json'), 'utf8');
    const paths = [...manifest.matchAll(/"(?:path|module)": ?"([^"]+)"/g)].map(([, path = '']) => path);
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
});

/** Every path in a value from package.json. */
function pathsIn(part: unknown): string[] {
  if (typeof part === 'string') return part.startsWith('./') ? [part] : [];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(pathsIn) : [];
}

/** Runs a module in the consumer's folder, with a Node process that doesn't use our sources. */
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
