import { boardSnippetFor } from '@pulse-card/widget/snippet';
import { expect, testOnOnePage as test } from './test.ts';

/** A source's result in the BFF's response. */
interface Result {
  readonly sourceId: string;
  readonly pulse?: { readonly completedAt: string };
}

test.describe('A reader at a board of all sources', () => {
  test('sees a card for each of the ten sources that the service lists, newest pulse first', async ({ page, stack }, {
    testId,
  }) => {
    const list = await page.request.get(`${stack.bffUrl}/v1/sources`);
    const { sources } = (await list.json()) as { sources: { id: string; name: string }[] };
    const ids = sources.map(({ id }) => id).join();
    // A busy BFF might not have every pulse yet, and a card that gets its pulse later is in another place.
    let pulses: Result[] = [];
    const pulseCount = async () => {
      const answer = await page.request.get(`${stack.bffUrl}/v1/pulses?ids=${ids}`);
      ({ pulses } = (await answer.json()) as { pulses: Result[] });
      return pulses.filter(({ pulse }) => pulse !== undefined).length;
    };
    await expect.poll(pulseCount).toBe(9);
    const board = boardSnippetFor({ baseUrl: stack.bffUrl, name: 'Our figures' });
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Figures</title><main><h1>Figures</h1><h2>All</h2>${board}</main></html>`;
    await page.goto(stack.site.put(`/${testId}`, html));
    await expect(page.locator('pulse-board')).toHaveJSProperty('state', 'ready');
    const timeOf = (id: string) =>
      Date.parse(pulses.find(({ sourceId }) => sourceId === id)?.pulse?.completedAt ?? '') || 0;
    const newestFirst = sources.toSorted((a, b) => timeOf(b.id) - timeOf(a.id));
    expect(timeOf(newestFirst.at(-1)?.id ?? '')).toBe(0);
    const items = page.locator('pulse-board li:has(> pulse-card)');
    await expect(items).toHaveCount(10);
    for (const [at, { id, name }] of newestFirst.entries()) {
      const item = items.nth(at);
      await item.scrollIntoViewIfNeeded();
      await expect(item.locator('pulse-card')).toHaveJSProperty('sourceId', id);
      await expect(item.locator('[part=header]')).toContainText(name);
    }
  });
});
