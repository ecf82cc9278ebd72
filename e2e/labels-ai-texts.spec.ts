import type { Page } from '@playwright/test';
import { renderPulseCard } from '@pulse-card/widget/server';
import { boardSnippetFor, snippetFor } from '@pulse-card/widget/snippet';
import type { Stack } from '@pulse-card/testkit/stack';
import { expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

/**
 * Shows a finding in one of the places where readers can see it. Resolves to the selector of the element that shows
 * the finding.
 */
type Exit = (page: Page, stack: Stack) => Promise<string>;

const print: Exit = async (page, stack) => {
  await page.emulateMedia({ media: 'print' });
  await open(page, stack, snippetFor({ sourceId: SOURCE, baseUrl: stack.bffUrl }));
  return 'pulse-card';
};

const dialog: Exit = async (page, stack) => {
  await open(page, stack, snippetFor({ sourceId: SOURCE, baseUrl: stack.bffUrl }));
  await page.getByRole('button', { name: 'Enlarge the chart' }).click();
  return 'pulse-card dialog';
};

const board: Exit = async (page, stack) => {
  await open(page, stack, boardSnippetFor({ baseUrl: stack.bffUrl }));
  return 'pulse-board li:first-child pulse-card';
};

const frame: Exit = async (page, stack) => {
  await page.goto(`${stack.bffUrl}/embed/${SOURCE}`);
  return 'pulse-card';
};

const serverRendered: Exit = async (page, stack) => {
  const answer = await (await fetch(`${stack.bffUrl}/v1/sources/${SOURCE}/pulse`)).json();
  const options = { sourceId: SOURCE, baseUrl: stack.bffUrl };
  await open(page, stack, renderPulseCard(answer as Parameters<typeof renderPulseCard>[0], options));
  return 'pulse-card';
};

// The elements' tests check this for a card in each variant.
const EXITS: readonly (readonly [string, Exit])[] = [
  ['the enlarged chart', dialog],
  ['a board', board],
  ['print', print],
  ['a frame', frame],
  ['what a server rendered', serverRendered],
];

async function open(page: Page, stack: Stack, body: string): Promise<void> {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><body>${body}`;
  await page.goto(stack.site.put('/labelled', html));
}

test.describe('"AI-generated" comes before the finding, in reading order and on the screen', () => {
  for (const [exit, show] of EXITS) {
    test(`in ${exit}`, async ({ page, stack }) => {
      const place = page.locator(await show(page, stack));
      const note = place.locator('[part=note], small').filter({ hasText: 'AI-generated' }).first();
      const finding = exit === 'the enlarged chart' ? place.locator('div') : place.locator('[part=summary]').first();
      await expect(note).toBeVisible();
      await expect(finding).toBeVisible();
      const isBefore = await note.evaluate(
        (element, other) => !!(element.compareDocumentPosition(other as Node) & Node.DOCUMENT_POSITION_FOLLOWING),
        await finding.elementHandle(),
      );
      expect(isBefore).toBe(true);
      const [above, below] = [await note.boundingBox(), await finding.boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    });
  }

  test('in the descriptions of charts without visible text', async ({ page, stack }) => {
    await open(page, stack, snippetFor({ sourceId: SOURCE, baseUrl: stack.bffUrl, variant: 'chart' }));
    const image = page.locator('pulse-card [part=image]');
    await expect(image).toHaveAccessibleDescription(/^AI-generated ?: \S/);
    await expect(page.locator('pulse-card [part=note]')).toBeVisible();
  });

  test('in the snippet before the script runs', async ({ page, stack }) => {
    const review = { aiReviewedBy: 'Ada', aiReviewedRun: 'run_1' };
    const snippet = snippetFor({ sourceId: SOURCE, baseUrl: stack.bffUrl, name: 'Jobs', ...review });
    await open(page, stack, snippet.replace(/<script.*<\/script>/, ''));
    await expect(page.getByText('AI-generated', { exact: true })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('link', { name: 'Jobs' })).toBeVisible();
  });

  test('in a frame’s structured data, without violating its policy', async ({ page, stack }) => {
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${stack.bffUrl}/embed/${SOURCE}`);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    const json = await page.locator('script[type="application/ld+json"]').textContent();
    const data = JSON.parse(json ?? '') as { description: { text: string; digitalSourceType: string } };
    expect(await findingOf(stack)).toContain(data.description.text.slice(0, 20));
    expect(data.description.digitalSourceType).toBe('https://schema.org/TrainedAlgorithmicMediaDigitalSource');
    expect(problems).toEqual([]);
  });

  test('in oEmbed and Open Graph', async ({ stack }) => {
    const page = `${stack.bffUrl}/embed/${SOURCE}`;
    const { html } = (await (await fetch(`${stack.bffUrl}/oembed?url=${encodeURIComponent(page)}`)).json()) as {
      html: string;
    };
    const head = await (await fetch(page)).text();
    const metaOf = (property: string): string =>
      new RegExp(`property="${property}" content="([^"]*)"`).exec(head)?.[1] ?? '';
    const start = (await findingOf(stack)).slice(0, 20);
    for (const text of [html, metaOf('og:description'), metaOf('og:image:alt')])
      expect(text).toMatch(new RegExp(`AI-generated.*${start}`));
  });
});

/** The source's finding, as returned by the BFF. */
async function findingOf({ bffUrl }: Stack): Promise<string> {
  const answer = await (await fetch(`${bffUrl}/v1/sources/${SOURCE}/pulse`)).json();
  return (answer as { pulse: { aiSummaryShort: string } }).pulse.aiSummaryShort;
}
