import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { type Driver, WINDOW } from '@pulse-card/testkit/browsers/driver';
import { freePorts } from '@pulse-card/testkit/free-port';
import { pathOf } from '@pulse-card/testkit/system/ask';
import { until } from '@pulse-card/testkit/until';
import { Builder, Capabilities, type WebDriver } from 'selenium-webdriver';

/** The path to WebKitGTK's MiniBrowser on Debian, next to its driver. */
const MINI_BROWSERS = '/usr/lib/*/webkit2gtk-4.*/MiniBrowser';

/** Whether everything is installed on this machine: the driver, the browser, and the virtual display. */
export function isInstalled(): boolean {
  return ['WebKitWebDriver', 'Xvfb'].every(pathOf) && findMiniBrowser() !== undefined;
}

function findMiniBrowser(): string | undefined {
  return globSync(MINI_BROWSERS)[0];
}

/** A WebKitGTK window, and a function that closes the window and stops everything that was started for it. */
export interface WebKitWindow extends AsyncDisposable {
  readonly browser: WebDriver;
}

/** Opens WebKitGTK from the system's packages (Debian: webkit2gtk-driver, xvfb) on a virtual display. */
export async function openWebKit(): Promise<WebKitWindow> {
  const binary = findMiniBrowser();
  if (!isInstalled()) throw new Error('Can’t start WebKit: it needs WebKitWebDriver, MiniBrowser, and Xvfb');
  const [port = 0] = await freePorts(1);
  const display = `:${100 + (port % 800)}`;
  // Without a window manager, the window under the pointer has focus. The pointer is in the middle of the screen. On a
  // screen this short, the pointer is over the browser's toolbar, so it doesn't hover over anything on the page.
  const screen = start('Xvfb', [display, '-screen', '0', '1200x60x24', '-nolisten', 'tcp']);
  await until('there is a display', () => existsSync(`/tmp/.X11-unix/X${display.slice(1)}`));
  // Inside a container, WebKit isn't allowed to create its sandbox.
  const env = { ...process.env, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' };
  const server = start('WebKitWebDriver', [`--port=${port}`], env);
  const address = `http://127.0.0.1:${port}`;
  await until('WebKitWebDriver answers', () => fetch(`${address}/status`).then(({ ok }) => ok));
  const capabilities = new Capabilities({
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': { binary, args: ['--automation'] },
  });
  const browser = await new Builder().usingServer(address).withCapabilities(capabilities).build();
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.quit();
      for (const child of [server, screen]) child.kill();
    },
  };
}

/** WebKitGTK, controlled through WebDriver. */
export async function startWebKit(): Promise<Driver> {
  const { browser, [Symbol.asyncDispose]: close } = await openWebKit();
  await browser
    .manage()
    .window()
    .setRect({ x: 0, y: 0, ...WINDOW });
  return {
    open: (url) => browser.get(url),
    evaluate: <Value>(expression: string) => browser.executeScript<Value>(`return (${expression})`),
    picture: async () => Buffer.from(await browser.takeScreenshot(), 'base64'),
    [Symbol.asyncDispose]: close,
  };
}

function start(program: string, args: readonly string[], env = process.env): ChildProcess {
  return spawn(program, args, { stdio: 'ignore', env });
}
