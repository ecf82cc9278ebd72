import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '@pulse-card/testkit/root';
import type { HostSite } from '@pulse-card/testkit/host-site';

/** The main file of an application that shows the pasted component, for each framework. */
const MAINS = {
  react: {
    file: 'chart.jsx',
    main: `import { createRoot } from 'react-dom/client'; import { createElement } from 'react'; import { Chart } from './chart.jsx'; createRoot(document.querySelector('#root')).render(createElement(Chart));`,
  },
  vue: {
    file: 'chart.vue',
    main: `import { createApp } from 'vue'; import Chart from './chart.vue'; createApp(Chart).mount('#root');`,
  },
  svelte: {
    file: 'chart.svelte',
    main: `import { mount } from 'svelte'; import Chart from './chart.svelte'; mount(Chart, { target: document.querySelector('#root') });`,
  },
} as const;

/** Creates a page with pasted HTML. Returns its URL. */
export function putHtml(site: HostSite, path: string, code: string): string {
  return site.put(path, pageOf(code));
}

/** Creates an application with a pasted component and builds it with the framework's own tools. Returns its URL. */
export function putComponent(site: HostSite, path: string, framework: keyof typeof MAINS, code: string): string {
  const example = join(ROOT, 'examples', framework);
  const folder = mkdtempSync(join(example, '.pasted-'));
  try {
    const { file, main } = MAINS[framework];
    writeFileSync(join(folder, file), code);
    writeFileSync(join(folder, 'main.js'), main);
    writeFileSync(
      join(folder, 'index.html'),
      pageOf('<div id="root"></div><script type="module" src="./main.js"></script>'),
    );
    const vite = join(example, 'node_modules/vite/bin/vite.js');
    const config = join(example, 'vite.config.ts');
    const built = spawnSync(process.execPath, [vite, 'build', folder, '--config', config, '--logLevel', 'warn'], {
      encoding: 'utf8',
    });
    if (built.status !== 0) throw new Error(`Can’t build the pasted code:\n${built.stdout}${built.stderr}`);
    site.putFolder(path, join(folder, 'dist'));
    return `${site.origin}${path}/index.html`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs pasted server code and creates the page that the server renders. Returns the page's URL. */
export async function putRendered(site: HostSite, path: string, code: string): Promise<string> {
  const folder = join(ROOT, 'e2e/node_modules/.pasted');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `page-${process.pid}.mjs`);
  try {
    writeFileSync(file, `${code}\nexport { card, script };\n`);
    const { card, script } = (await import(`${pathToFileURL(file).href}?${Date.now()}`)) as Record<
      'card' | 'script',
      string
    >;
    return site.put(path, pageOf(card, script));
  } finally {
    rmSync(file, { force: true });
  }
}

function pageOf(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody's page</title>${head}</head><body><h1>Somebody's page</h1>${body}<p>Text below.</p></body></html>`;
}
