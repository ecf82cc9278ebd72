import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ROOT } from './root.ts';
import { startChild } from './child-process.ts';
import type { Stack } from './stack.ts';

/** The token keys that the portal and the BFF share. */
export const TOKEN_KEYS_FILE = join(import.meta.dirname, 'token-keys.json');

const PASSWORD = 'open sesame';

/** The two ways to run `examples/portal`: the BFF mounted in the portal, or a separate server that accepts tokens. */
export type Way = 'mounted' | 'tokens';

/** `examples/portal`, running on the port that the BFF in `stack` allows. */
export interface Portal {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startPortal(
  way: Way,
  { bffUrl, serviceUrl, secrets, demoPort }: Stack,
  variables: Readonly<Record<string, string>> = {},
): Promise<Portal> {
  const [key] = JSON.parse(readFileSync(TOKEN_KEYS_FILE, 'utf8')) as { secret: string }[];
  const origin = `http://localhost:${demoPort}`;
  const server = await startChild({
    title: `the portal (${way})`,
    args: [join(ROOT, `examples/portal/${way}.ts`)],
    env: {
      ...process.env,
      PORT: String(demoPort),
      PORTAL_PASSWORD: PASSWORD,
      PULSE_API_KEY: secrets.key,
      PULSE_BASE_URL: serviceUrl,
      PULSE_URL: bffUrl,
      PORTAL_TOKEN_SECRET: key?.secret ?? '',
      NODE_OPTIONS: '',
      ...variables,
    },
    readyUrl: `${origin}/`,
  });
  return { origin, stop: () => server.stop() };
}

export async function signIn(page: Page, user: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
}

/** Signs in a different user, as if in another browser tab. */
export async function signInElsewhere(page: Page, { origin }: Portal, user: string): Promise<void> {
  const answer = await page.request.post(`${origin}/login`, { data: { user, password: PASSWORD } });
  expect(answer.status()).toBe(200);
}
