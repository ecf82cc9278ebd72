import type { Page } from '@playwright/test';
import { copyBy } from './stack/clipboard.ts';
import { emptyStorage, expect, testOnOnePage as test } from './test.ts';

const PAGES = [
  '',
  'board/',
  'states/',
  'states/?tab=codes',
  'states/?tab=surroundings',
  'docs/',
  'docs/?guide=embed',
  'check/',
  'status/',
] as const;

/** Widths of a page. The long tests use all widths near which a Studio page changes its columns. */
const WIDTHS_PX =
  process.env['PULSE_TEST_LONG'] === undefined ? [320, 768, 1440, 1280] : [320, 390, 600, 768, 900, 1024, 1440, 1280];

/** The frame whose page breaks contrast and layout on purpose, to show how the card reacts. */
const HOSTILE_FRAME = 'iframe[data-frame="hostile"]';

/** The frame whose page runs no scripts. The script that looks for violations would never finish in this frame. */
const SCRIPTLESS_FRAME = 'iframe[data-frame="scriptless"]';

/** The elements that axe skips here. Cards have their own tests with axe, in every state. */
const NOT_OF_THE_STUDIO = [HOSTILE_FRAME, SCRIPTLESS_FRAME, 'pulse-card', 'pulse-board'];

// The tests in this file share the workers.
test.describe.configure({ mode: 'parallel' });

test.beforeEach(({ page, demo }) => emptyStorage(page, demo.url));

test.describe('A first-time visitor to the demo', () => {
  test('arrives in the Studio, changes a color, and copies code that works', async ({ page, stack, demo }) => {
    await page.goto(demo.url);
    expect(new URL(page.url()).pathname).toBe('/studio/');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await page.getByRole('radio', { name: 'News', exact: true }).check();
    const copied = await copyBy(page.locator('.code').getByRole('button', { name: 'Copy' }));
    expect(copied).toContain(`<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`);
    await page.goto(stack.site.put('/newcomer', `<!doctype html><title>My page</title>${copied}`));
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
  });
});

test.describe('The Studio’s pages', () => {
  for (const path of PAGES) {
    test(`never scroll sideways or violate a policy or an accessibility rule: /studio/${path}`, async ({
      page,
      demo,
      brokenRules,
      lackOfContrast,
    }) => {
      const violations = policyViolationsOf(page);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await openStudio(page, demo.url, path);
      for (const width of WIDTHS_PX) {
        await page.setViewportSize({ width, height: 900 });
        // A layout that depends on an element's size changes one frame later than that size.
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${width} px` })
          .toBeLessThanOrEqual(width);
      }
      expect(violations).toEqual([]);
      expect(await brokenRules(...NOT_OF_THE_STUDIO)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await lackOfContrast(...NOT_OF_THE_STUDIO)).toEqual([]);
    });
  }

  for (const width of [320, 390]) {
    test(`show all their links at ${width} px`, async ({ page, demo }) => {
      await page.setViewportSize({ width, height: 844 });
      await openStudio(page, demo.url, 'status/');
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      await expect.poll(() => links.count()).toBeGreaterThan(5);
      await expect(page.locator('scheme-switch')).toBeVisible();
      const outOfSight = () =>
        links.evaluateAll((found) => {
          const { bottom } = (document.querySelector('scheme-switch') as Element).getBoundingClientRect();
          const isOutOfSight = ({ left, right, top }: DOMRect) =>
            left < 8 || right > innerWidth - 8 || top < bottom + 4;
          return found.filter((link) => isOutOfSight(link.getBoundingClientRect())).map((link) => link.textContent);
        });
      await expect.poll(outOfSight).toEqual([]);
    });
  }

  test('show which options are chosen, even with forced colors', async ({ page, demo }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await openStudio(page, demo.url, '');
    const grounds = ['.segments :checked + span', '.segments :not(:checked) + span'].map((selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor),
    );
    const [chosen, other] = await Promise.all(grounds);
    expect(chosen).not.toBe(other);
    for (const choices of ['.themes', '.variants']) {
      const drawings = page.locator(choices).locator('input + span');
      const outlines = await drawings.evaluateAll((found) => found.map((span) => getComputedStyle(span).outlineStyle));
      expect(outlines, choices).toEqual(['solid', 'none', 'none', 'none']);
    }
    await expect(page.locator('#swatch-accent-light .chip')).toHaveCSS('background-color', 'rgb(61, 64, 212)');
    // The browser must draw the arrow. With forced colors, an arrow in a background image can't be seen.
    await expect(page.getByLabel('Source', { exact: true })).toHaveCSS('appearance', 'auto');
    const knob = await page
      .getByRole('switch')
      .first()
      .evaluate((one) => getComputedStyle(one, '::before').backgroundColor);
    expect(knob).not.toBe(other);
  });
});

test.describe('The person who ran npm start', () => {
  test('gets a command that allows a site to show cards', async ({ page, demo }) => {
    await openStudio(page, demo.url, '');
    await page.getByLabel('Is my site allowed?').fill('blog.example.net');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Not yet. Restart the server with this line:')).toBeVisible();
    const line = page.getByLabel('The line for the operator');
    await expect(line).toHaveText(/^PULSE_ALLOWED_ORIGINS=\S*https:\/\/blog\.example\.net npm start$/);
    await expect(line).not.toContainText(new URL(demo.url).host);
  });
});

test.describe('The States page', () => {
  test('finds a state by its code, even in another language and color scheme', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/states/`);
    await page.getByLabel('Find a state').fill('origin_forbidden');
    await page.getByLabel('Language', { exact: true }).selectOption('de');
    const card = page.locator('.gallery pulse-card');
    await expect(card).toHaveCount(1);
    await expect(card).toHaveJSProperty('state', 'error');
    await expect(card).toHaveAttribute('lang', 'de');
    await page.reload();
    await expect(card).toHaveAttribute('lang', 'de');
  });

  test('shows a card in each state that it lists', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/states/`);
    for (const [state, expected] of [
      ['loading', 'loading'],
      ['stale', 'stale'],
      ['pulse_not_found', 'empty'],
    ] as const) {
      const card = page.locator(`[data-state="${state}"] pulse-card`).first();
      await card.scrollIntoViewIfNeeded();
      await expect(card).toHaveJSProperty('state', expected);
    }
  });

  test('logs nothing for the failures that it simulates', async ({ page, demo }) => {
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(`${demo.url}/studio/states/?group=all`);
    for (const state of ['upstream_unavailable', 'source_unknown', 'origin_forbidden']) {
      const card = page.locator(`[data-state="${state}"] pulse-card`);
      await card.scrollIntoViewIfNeeded();
      await expect(card).toHaveJSProperty('state', 'error');
    }
    const pictureless = page.locator('[data-state="no-picture"] pulse-card');
    await pictureless.scrollIntoViewIfNeeded();
    await expect(pictureless.locator('[part~=chart]')).toContainText('can’t be loaded');
    expect(lines).toEqual([]);
  });

  for (const width of [240, 320]) {
    test(`aligns cards that are ${width} px wide, with or without captions`, async ({ page, demo }) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${demo.url}/studio/states/?group=all&width=${width}`);
      await expect(page.locator('.gallery pulse-card').first()).toBeVisible();
      const tops = await page
        .locator('.gallery figure')
        .evaluateAll((figures) =>
          figures.map((figure) =>
            [figure, figure.querySelector('pulse-card')].map((box) => box?.getBoundingClientRect().top),
          ),
        );
      const rows = Map.groupBy(tops, ([figure]) => figure);
      expect(rows.size).toBeGreaterThan(1);
      for (const row of rows.values()) expect(new Set(row.map(([, card]) => card)).size).toBe(1);
    });
  }

  test('shows a card among hostile styles, and a card that is readable without a script', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/states/?tab=surroundings`);
    const card = page.frameLocator(HOSTILE_FRAME).locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await expect(card.locator('[part~=image]')).toHaveCSS('filter', 'none');
    await expect(card.locator('[part~=toggle]')).toHaveCSS('position', 'static');
    await page.locator(SCRIPTLESS_FRAME).scrollIntoViewIfNeeded();
    await expect(page.frameLocator(SCRIPTLESS_FRAME).locator('[part~=summary]')).toBeVisible();
  });
});

test.describe('The Docs page', () => {
  test('starts with source-id, and has links to all of its sections', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/docs/`);
    await expect(page.locator('.docs dt > code:first-child').first()).toHaveText('source-id');
    const contents = page.getByRole('navigation', { name: 'Contents' });
    for (const section of ['Attributes', 'Events', 'Slots', 'Parts', 'Custom properties']) {
      await contents.getByRole('link', { name: section }).click();
      await expect(page.getByRole('heading', { level: 2, name: section })).toBeInViewport();
    }
  });

  for (const [width, height] of [
    [360, 740],
    [640, 760],
    [768, 1024],
  ] as const) {
    test(`shows the whole card above the controls at ${width} × ${height}`, async ({ page, demo }) => {
      await page.setViewportSize({ width, height });
      await openStudio(page, demo.url, 'docs/');
      await expect(page.locator('.live pulse-card')).toHaveJSProperty('state', 'ready');
      const left = await page.locator('.docs aside').evaluate((aside) => aside.scrollHeight - aside.clientHeight);
      expect(left).toBe(0);
    });
  }

  test('has guides next to the reference, with working links and headings', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/docs/`);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    for (const guide of ['Embed behind a login', 'Troubleshoot', 'Style a card', 'Embed a card']) {
      await contents.getByRole('link', { name: guide }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(guide);
    }
    await contents.getByRole('link', { name: 'Pin a version' }).click();
    await expect(page.getByRole('heading', { level: 2, name: 'Pin a version' })).toBeInViewport();
    const code = page.getByRole('article').getByLabel('Code');
    await expect(code.filter({ hasText: '<pulse-card source-id=' }).first()).toBeVisible();
    await page.getByRole('article').getByRole('link', { name: 'Troubleshoot' }).first().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Troubleshoot');
    const missing = await page
      .getByRole('link')
      .evaluateAll((links) =>
        links
          .map((link) => (link as HTMLAnchorElement).getAttribute('href') ?? '')
          .filter((href) => href.startsWith('#') && document.getElementById(href.slice(1)) === null),
      );
    expect(missing).toEqual([]);
  });

  test('lets visitors try every feature that the manifest of the elements lists', async ({ page, demo }) => {
    await page.goto(`${demo.url}/studio/docs/`);
    const card = page.locator('.live pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    await page.getByRole('switch', { name: 'open', exact: true }).check();
    await expect(card.locator('[part~=analysis]')).toBeVisible();
    await page.getByRole('combobox', { name: 'variant' }).selectOption('compact');
    await expect(card).toHaveJSProperty('variant', 'compact');
    await page.getByRole('combobox', { name: 'source-id' }).selectOption('src_seattle_rain');
    await expect(card.getByText('Rain in Seattle')).toBeVisible();
    await page.getByRole('textbox', { name: 'base-url' }).fill('api/nowhere');
    await page.getByRole('textbox', { name: 'base-url' }).press('Enter');
    await expect(card).toHaveJSProperty('state', 'error');
    await page.getByRole('textbox', { name: 'base-url' }).fill('');
    await page.getByRole('textbox', { name: 'base-url' }).press('Enter');
    await expect(card).toHaveJSProperty('state', 'ready');
    await page.getByLabel('--pulse-card-accent', { exact: true }).fill('#9b1c1c');
    await page.getByLabel('--pulse-card-accent', { exact: true }).press('Enter');
    await expect(card.locator('[part~=toggle]')).toHaveCSS('color', 'rgb(155, 28, 28)');
    await page.getByRole('switch', { name: 'Outline the part toggle' }).check();
    await expect(card.locator('[part~=toggle]')).toHaveCSS('outline-style', 'solid');
    await page.getByRole('switch', { name: 'Fill the slot name' }).check();
    await expect(card.getByText('Your content')).toBeVisible();
    await page.getByRole('button', { name: 'Call refresh()' }).click();
    await expect(card).toHaveJSProperty('state', 'ready');
  });
});

test.describe('The Check page', () => {
  test('shows each problem with a line to copy, and keeps the token out of the address', async ({ page, demo }) => {
    const asked: unknown[] = [];
    await page.route('**/studio/api/check', async (route) => {
      asked.push(route.request().postDataJSON());
      await route.fulfill({ json: DIAGNOSIS });
    });
    await page.goto(`${demo.url}/studio/check/`);
    await page.getByLabel('Address of the page').fill('blog.example.net/report');
    await page.getByText('Also explain a token').click();
    await page.getByLabel('Token', { exact: true }).fill('a.b.c');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(
      page.getByRole('heading', { name: 'One problem keeps cards from working on this page.' }),
    ).toBeVisible();
    await expect(page.getByText(DIAGNOSIS.findings[0].fix)).toBeVisible();
    await expect(page.getByText(DIAGNOSIS.token.lines[0])).toBeVisible();
    expect(asked).toEqual([{ url: 'https://blog.example.net/report', token: 'a.b.c' }]);
    expect(page.url()).not.toContain('a.b.c');
  });

  test('shows an error next to the field if the address is invalid, and requests nothing', async ({ page, demo }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${demo.url}/studio/check/`);
    await page.getByLabel('Address of the page').fill('my page');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('This isn’t the address of a page.')).toBeVisible();
    expect(asked.filter((url) => url.endsWith('/api/check'))).toEqual([]);
  });
});

/** The diagnosis of a page whose origin is not allowed and whose token has expired. */
const DIAGNOSIS = {
  ok: false,
  page: {
    url: 'https://blog.example.net/report',
    origin: 'https://blog.example.net',
    wasRead: true,
    redirects: 0,
    cards: 1,
  },
  originAllowed: false,
  findings: [
    {
      code: 'origin_not_allowed',
      severity: 'error',
      title: 'Pages of https://blog.example.net may not show cards.',
      detail: 'The BFF refuses their requests.',
      fix: 'PULSE_ALLOWED_ORIGINS=https://blog.example.net',
    },
  ],
  token: { accepted: false, lines: ['The BFF rejects the token: it has expired.'] },
} as const;

/** Opens a Studio page. Resolves when its content is loaded. */
async function openStudio(page: Page, demoUrl: string, path: string): Promise<void> {
  await page.goto(`${demoUrl}/studio/${path}`);
  if (path.startsWith('check')) await expect(page.getByText('Sites that may show cards')).toBeVisible();
  else if (path.startsWith('status'))
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Readers get their charts');
  else if (path.includes('surroundings')) {
    await expect(page.frameLocator('iframe[data-frame="strict"]').locator('pulse-card')).toHaveJSProperty(
      'state',
      'ready',
    );
  } else if (path.includes('codes')) await expect(page.locator('pulse-card:state(error)')).toBeVisible();
  else if (path.includes('guide')) await expect(page.locator('article.guide')).toBeVisible();
  else await expect(page.locator('pulse-card:state(ready)').first()).toBeVisible();
}

/** Records all policy violations from now on, as the browser's console describes them. */
function policyViolationsOf(page: Page): string[] {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  return violations;
}
