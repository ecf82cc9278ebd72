import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROOT } from './run.ts';
import { nodeStep, type Step } from './steps.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');
const NOTICES = join(ROOT, 'scripts/notices.ts');
/** The Studio is part of every BFF. */
const STUDIO_IN_BFF = join(ROOT, 'packages/bff/dist/studio');
const WIDGET = join(ROOT, 'packages/widget');
const CEM = join(WIDGET, 'node_modules/@custom-elements-manifest/analyzer/cem.js');
const CEM_CONFIG = 'custom-elements-manifest.config.js';
// The native loader reads workspace packages from their source. The default bundles the configuration first and warns
// about packages that aren't built.
const VITE_BUILD = ['build', '--configLoader', 'native', '--logLevel', 'warn'];
const PACKAGES = ['contract', 'token', 'doctor', 'service', 'widget', 'bff', 'mcp'].map((name) => `packages/${name}`);

/**
 * Removes the files that earlier builds left in the packages under `root`. Otherwise, a file whose source has been
 * renamed or deleted would still be published.
 */
export function emptyStep(root: string = ROOT): Step {
  return {
    title: 'Remove the previous build',
    async work() {
      for (const folder of PACKAGES) await rm(join(root, folder, 'dist'), { recursive: true, force: true });
    },
  };
}

/** Builds what `npm start` can't run from its source: the widget's scripts, the API's description, and the Studio. */
export function startSteps(): Step[] {
  return [
    ...scriptSteps(),
    webFolderStep(),
    bffFilesStep(),
    viteStep('Build the Studio', 'demo', ['--outDir', STUDIO_IN_BFF, '--emptyOutDir']),
  ];
}

function webFolderStep(): Step {
  return nodeStep('Write the files that pages load', [join(WIDGET, 'build/write-web-folder.ts')]);
}

function bffFilesStep(): Step {
  return nodeStep('Write the BFF’s files', [join(ROOT, 'packages/bff/write-files.ts')]);
}

/** Builds the scripts for pages. */
function scriptSteps(): Step[] {
  return [
    viteStep('Build pulse-card.js', 'packages/widget'),
    viteStep('Build pulse-board.js', 'packages/widget', ['--config', 'vite.board.config.ts']),
    viteStep('Build the scripts for iframes', 'packages/widget', ['--config', 'vite.frame.config.ts']),
  ];
}

/**
 * Builds everything that is run or published: the packages, the widget's script and server renderer, the data for
 * editors, and the Studio.
 */
export function packageSteps(): Step[] {
  return [
    nodeStep('Write the manifest of the elements', [CEM, 'analyze', '--quiet', '--config', CEM_CONFIG], {
      cwd: WIDGET,
    }),
    nodeStep('Build the packages', [TSC, '-b', ...PACKAGES]),
    bffFilesStep(),
    ...scriptSteps(),
    viteStep('Build the server renderer', 'packages/widget', ['--config', 'vite.server.config.ts']),
    nodeStep('Write the editor data', [join(WIDGET, 'editor-data.ts')]),
    viteStep('Build the MCP App', 'packages/mcp'),
    viteStep('Build the Studio', 'demo'),
    nodeStep('Write the license notices', [NOTICES, 'packages']),
    webFolderStep(),
    { title: 'Put the Studio into the BFF', work: copyStudio },
  ];
}

/** Builds everything: the packages, the preview of the Studio, and the examples. */
export function buildSteps(): Step[] {
  const examples = ['react', 'vue', 'svelte'].map((name) => `examples/${name}`);
  return [
    ...packageSteps(),
    ...previewSteps(),
    ...examples.map((folder) => viteStep(`Build the example ${basename(folder)}`, folder)),
  ];
}

/** Builds the Studio with the demo's sources as static files, which any web server can host. */
function previewSteps(): Step[] {
  return [
    viteStep('Build the Studio preview', 'demo', ['--mode', 'preview']),
    nodeStep('Write its license notices', [NOTICES, 'preview']),
    nodeStep('Draw the preview’s charts', [join(ROOT, 'demo/preview/main.ts')]),
  ];
}

async function copyStudio(): Promise<void> {
  await rm(STUDIO_IN_BFF, { recursive: true, force: true });
  await cp(join(ROOT, 'demo/dist'), STUDIO_IN_BFF, { recursive: true });
}

function viteStep(title: string, folder: string, options: readonly string[] = []): Step {
  const cwd = join(ROOT, folder);
  const { work } = nodeStep(title, [VITE, ...VITE_BUILD, ...options], { cwd });
  return {
    title,
    async work(progress) {
      checkFolder(cwd);
      await work(progress);
    },
  };
}

/** Throws if Vite can't build in a folder. Vite reads these characters as the start of a URL's query or fragment. */
export function checkFolder(folder: string): void {
  if (/[#?]/.test(folder)) throw new Error(`Can’t build in ${folder}: move the clone to a path without "#" or "?"`);
}
