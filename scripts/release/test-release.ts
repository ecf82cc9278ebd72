import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { freePort } from '../free-port.ts';
import { openHostSite } from '../../packages/testkit/src/host-site.ts';
import { Consumer } from '../../packages/testkit/src/registry/consumer.ts';
import { tryChat } from './chat-trials.ts';
import { type PageParts, tryBundles, tryIntegrity, tryServerRendering } from './page-trials.ts';
import { bumpVersions, prepareCheckout, publishAll } from './publish.ts';
import type { PublishedPackage } from './publish.ts';
import { type Registry, startRegistry } from '../../packages/testkit/src/registry/registry.ts';
import { Results } from './results.ts';
import { runIn } from '../../packages/testkit/src/registry/run-in.ts';
import { tryExpress, tryOlderNode, tryServers, trySystemdUnit, tryTokens } from './server-trials.ts';
import { tryNotes, tryTarballs } from './tarball-trials.ts';
import { copyWorkTree } from '../../packages/testkit/src/work-tree-copy.ts';
import { provideBrowser } from '../setup/programs.ts';

/** The oldest Node that package.json allows, and the Node of this repository. */
const NODE_VERSIONS = ['22.19.0', '24.21.0'] as const;

/** A version of Node that is too old to load the programs. */
const TOO_OLD = '20.9.0';

/**
 * Publishes all packages to a registry on this machine: first without a changeset, and then with one. Uses each release
 * like its users, and prints the results as a table.
 */
async function main(): Promise<void> {
  const executablePath = await provideBrowser();
  if (executablePath === undefined)
    throw new Error('Cannot test a release: no browser was found or could be installed');
  const folder = mkdtempSync(join(tmpdir(), 'pulse-release-'));
  const registry = await startRegistry(join(folder, 'registry'));
  const copy = copyWorkTree();
  const results = new Results();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
  try {
    await prepareCheckout(copy);
    const parts = { registry, results, browser, folder };
    const [oldestNode, node] = NODE_VERSIONS;
    // At this point, there is no changeset, as in the commit that publishes a release.
    await tryRelease(await publishAll(copy, registry), oldestNode, parts);
    await bumpVersions(copy);
    await tryRelease(await publishAll(copy, registry), node, parts);
    results.useNode('-');
    await tryNotes(copy, results);
    results.useNode(TOO_OLD);
    await tryOldNode(await installNode(TOO_OLD, join(folder, TOO_OLD), registry), { registry, results });
  } finally {
    await browser.close();
    await registry.close();
    for (const used of [folder, copy]) rmSync(used, { recursive: true, force: true });
  }
  console.log(`\n${results.table}`);
  if (results.haveFailed) process.exitCode = 1;
}

/** Inspects the published packages, and uses them on a version of Node. */
async function tryRelease(
  published: readonly PublishedPackage[],
  nodeVersion: string,
  { folder, ...parts }: Parts & { readonly folder: string },
): Promise<void> {
  parts.results.useNode('-');
  for (const one of published) await tryTarballs(one, { ...parts, folder });
  parts.results.useNode(nodeVersion);
  await tryWith(await installNode(nodeVersion, join(folder, nodeVersion), parts.registry), parts);
}

/** Installs a version of Node as an npm package. Resolves to the folder of its program. */
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
    await tryChat(open(), results, bffUrl);
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
