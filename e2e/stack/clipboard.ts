import { expect, type Locator } from '@playwright/test';

/** Presses a Copy button. Resolves to the clipboard's new content. */
export async function copyBy(button: Locator): Promise<string> {
  const page = button.page();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe('');
  return page.evaluate(() => navigator.clipboard.readText());
}
