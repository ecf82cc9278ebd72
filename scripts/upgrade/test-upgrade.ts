// Tests an old release's card with this BFF, and this card with the responses from the old release's BFF. `npm run
// test:upgrade` uses the newest tag, and `-- REVISION` uses any other revision. Needs a build of this checkout.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, ROOT, run } from '../run.ts';
import { provideBrowser } from '../setup/browser.ts';
import { runMain, UsageError } from '../usage.ts';

await runMain(async () => {
  const revision = process.argv[2] ?? newestTag();
  const browser = await provideBrowser();
  if (browser === undefined) throw new Error('Cannot test an upgrade: no browser could be installed');
  const folder = mkdtempSync(join(tmpdir(), 'pulse-upgrade-'));
  try {
    const record = await recordOf(revision, folder);
    const playwright = join(ROOT, 'node_modules/.bin/playwright');
    const env = { PULSE_OLD_RELEASE: record, PULSE_CHROMIUM: browser, NODE_OPTIONS: '--conditions=source' };
    const passed = await run(playwright, ['test', '--config', 'scripts/upgrade/playwright.config.ts'], { env });
    process.exitCode = passed ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function newestTag(): string {
  const { ok, stdout } = ask('git', ['describe', '--tags', '--abbrev=0']);
  if (!ok) throw new UsageError('No release is tagged yet. Specify a revision: npm run test:upgrade -- HEAD');
  return stdout;
}

/** Builds a revision in a folder and records its answers and scripts. Resolves to the folder of the record. */
async function recordOf(revision: string, folder: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  const record = join(folder, 'record');
  const steps: [command: string, args: string[], cwd: string][] = [
    ['git', ['clone', '--quiet', ROOT, checkout], ROOT],
    ['git', ['checkout', '--quiet', revision], checkout],
    ['npm', ['run', 'build'], checkout],
    [process.execPath, ['--conditions=source', 'scripts/upgrade/record-release.ts', record], checkout],
  ];
  for (const [command, args, cwd] of steps)
    if (!(await run(command, args, { cwd }))) throw new Error(`Cannot record ${revision}: ${command} failed`);
  return record;
}
