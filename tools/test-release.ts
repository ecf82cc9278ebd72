import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { freePort } from '../scripts/free-port.ts';
import { openHostSite } from '../e2e/stack/host-site.ts';
import { Consumer } from './release/consumer.ts';
import { type PageParts, tryBundles, tryIntegrity, tryServerRendering } from './release/page-trials.ts';
import { publishAll } from './release/publish.ts';
import { type Registry, startRegistry } from './release/registry.ts';
import { Results } from './release/results.ts';
import { runIn } from './release/run-in.ts';
import { tryExpress, tryOlderNode, tryServers, trySystemdUnit, tryTokens } from './release/server-trials.ts';
import { tryBillOfMaterials, tryTarballs } from './release/tarball-trials.ts';
import { copyWorkTree } from './release/work-tree-copy.ts';
import { provideBrowser } from '../scripts/setup/browser.ts';

/** The oldest Node that package.json allows, and the one that the repository runs on. */
const NODE_VERSIONS = ['22.19.0', '24.21.0'] as const;

/** A Node that cannot even load the programs. */
const TOO_OLD = '20.9.0';

/** Publishes all packages to a registry of this machine, and uses them as their readers would; prints a table. */
async function main(): Promise<void> {
  const executablePath = await provideBrowser();
  if (executablePath === undefined) throw new Error('Cannot rehearse a release: there is no browser');
  const folder = mkdtempSync(join(tmpdir(), 'pulse-release-'));
  const registry = await startRegistry(join(folder, 'registry'));
  const copy = copyWorkTree();
  const results = new Results();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
  try {
    const published = await publishAll(copy, registry);
    results.useNode('-');
    for (const one of published) await tryTarballs(one, { registry, results, folder });
    await tryBillOfMaterials(copy, results);
    results.useNode(TOO_OLD);
    await tryOldNode(await installNode(TOO_OLD, join(folder, TOO_OLD), registry), { registry, results });
    for (const version of NODE_VERSIONS) {
      results.useNode(version);
      await tryWith(await installNode(version, join(folder, version), registry), { registry, results, browser });
    }
  } finally {
    await browser.close();
    await registry.close();
    for (const used of [folder, copy]) rmSync(used, { recursive: true, force: true });
  }
  console.log(`\n${results.table}`);
  if (results.haveFailed) process.exitCode = 1;
}

/** Installs a version of Node as an npm package; returns the folder of its program. */
async function installNode(version: string, folder: string, { env }: Registry): Promise<string> {
  await runIn(tmpdir(), 'npm', ['install', '--prefix', folder, `node@${version}`], { env });
  return join(folder, 'node_modules/node/bin');
}

async function tryOldNode(nodeFolder: string, { registry, results }: Omit<Parts, 'browser'>): Promise<void> {
  const consumer = new Consumer(registry, nodeFolder);
  await tryOlderNode(consumer, results);
  await consumer.close();
}

interface Parts extends Pick<PageParts, 'browser' | 'results'> {
  readonly registry: Registry;
}

async function tryWith(nodeFolder: string, { registry, results, browser }: Parts): Promise<void> {
  const opened: Consumer[] = [];
  const open = (): Consumer => {
    opened.push(new Consumer(registry, nodeFolder));
    return opened.at(-1) as Consumer;
  };
  const site = await openHostSite(await freePort());
  try {
    const servers = open();
    const { bffUrl, bffEnv } = await tryServers(servers, results, site.origin);
    await tryTokens(servers, results, bffEnv);
    await trySystemdUnit(open(), results, bffEnv);
    await tryExpress(open(), results, bffEnv);
    const parts = { browser, site, bffUrl, results, open };
    await tryBundles(parts);
    await tryServerRendering(parts);
    await tryIntegrity(parts);
  } finally {
    for (const consumer of opened) await consumer.close();
    await site.close();
  }
}

await main();
