import { AxeBuilder } from '@axe-core/playwright';
import { test as base } from '@playwright/test';
import { snippetFor } from '@pulse-card/widget/snippet';
import { type Stack, startStack } from './stack/stack.ts';

export { expect } from '@playwright/test';

interface OfWorker {
  /** What the BFF's environment says beside the usual. */
  bffEnv: Readonly<Record<string, string>>;
  stack: Stack;
}

interface OfTest {
  /** Opens a page of the host site with the snippets of these sources on it. */
  openPageWith: (...sourceIds: string[]) => Promise<void>;
  /** Names of the accessibility rules that the page breaks. */
  brokenRules: () => Promise<string[]>;
}

/** Playwright's `test` with a whole stack for each worker. */
export const test = base.extend<OfTest, OfWorker>({
  bffEnv: [{}, { scope: 'worker', option: true }],
  stack: [
    async ({ bffEnv }, use) => {
      const stack = await startStack(bffEnv);
      await use(stack);
      await stack.close();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  async openPageWith({ page, stack }, use, testInfo) {
    await use(async (...sourceIds) => {
      const path = `/${testInfo.testId}-${sourceIds.join('-')}`;
      await page.goto(stack.site.put(path, pageWith(stack.bffUrl, sourceIds)));
    });
  },
  async brokenRules({ page }, use) {
    await use(async () => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      return violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.target.join(' ')}`);
    });
  },
});

function pageWith(baseUrl: string, sourceIds: readonly string[]): string {
  const cards = sourceIds.map((sourceId) => snippetFor({ sourceId, baseUrl, name: `Source ${sourceId}` })).join('\n');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Somebody's page</title><main><h1>Somebody's page</h1><h2>Figures</h2>${cards}<p>Text below.</p></main></html>`;
}
