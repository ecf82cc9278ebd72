import { expect, type Locator } from '@playwright/test';

/** Presses a button that copies; resolves to what is in the clipboard then. */
export async function copyBy(button: Locator): Promise<string> {
  const page = button.page();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe('');
  return page.evaluate(() => navigator.clipboard.readText());
}
