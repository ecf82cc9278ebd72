import type { Page, Response } from '@playwright/test';
import { expect, test } from './test.ts';

test.describe('What a browser receives (T-01, T-07)', () => {
  test('never contains the key or the account’s email address', async ({ page, openPageWith, stack }) => {
    const received = recordEverything(page);
    await openPageWith('src_us_employment', 'src_no_such_source');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    for (const path of [
      '/v1/sources',
      '/v1/openapi.yaml',
      '/healthz',
      '/readyz',
      '/v1/sources/src_us_employment/pulse',
      '/v1/nowhere',
    ]) {
      received.push(
        page.request
          .get(stack.bffUrl + path)
          .then(async (answer) => JSON.stringify(answer.headers()) + (await answer.text())),
      );
    }
    const everything = (await Promise.all(received)).join('\n');
    expect(everything).toContain('aiSummaryLong');
    for (const secret of formsOf(stack.secrets.key).concat(formsOf(stack.secrets.email))) {
      expect(everything.includes(secret), `no "${secret.slice(0, 3)}…" in what was received`).toBe(false);
    }
  });
});

/** Records the headers and bodies of all responses that the page receives from now on. */
function recordEverything(page: Page): Promise<string>[] {
  const received: Promise<string>[] = [];
  page.on('response', (response) => received.push(everythingIn(response)));
  return received;
}

async function everythingIn(response: Response): Promise<string> {
  const body = await response.body().catch(() => Buffer.alloc(0));
  return `${response.url()}\n${JSON.stringify(await response.allHeaders())}\n${body.toString('utf8')}`;
}

/** The encodings that a secret might leak in. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex'), encodeURIComponent(secret)];
}
