import { Key, type WebDriver } from 'selenium-webdriver';
import { openWebKit, type WebKitWindow } from './webkit.ts';

/** A page's size at the start of a test file, as in the test runner's other browsers. */
const VIEWPORT: Size = { width: 800, height: 600 };

/** The characters that WebDriver uses for the keys in the tests. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
};

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A launcher for `@web/test-runner`: runs test files in one WebKitGTK window, one after another. */
export class WebKitLauncher {
  readonly name = 'WebKitGTK';
  /**
   * The test runner's commands support Puppeteer pages but not WebDriver pages, so `getPage()` imitates a Puppeteer
   * page.
   */
  readonly type = 'puppeteer';
  readonly concurrency = 1;
  #window: WebKitWindow | undefined;
  #session: string | undefined;

  async startSession(sessionId: string, url: string): Promise<void> {
    this.#window ??= await openWebKit();
    await setViewport(this.#window.browser, VIEWPORT);
    this.#session = sessionId;
    await this.#window.browser.get(url);
  }

  async stopSession(): Promise<object> {
    this.#session = undefined;
    await this.#window?.browser.get('about:blank');
    return {};
  }

  startDebugSession(): Promise<void> {
    throw new Error('Can’t debug in WebKitGTK. Use Chromium');
  }

  isActive(sessionId: string): boolean {
    return this.#session === sessionId;
  }

  async getBrowserUrl(): Promise<string | undefined> {
    return this.#window?.browser.getCurrentUrl();
  }

  async stop(): Promise<void> {
    await this.#window?.[Symbol.asyncDispose]();
  }

  /** The part of a Puppeteer page that the tests' commands use. WebDriver can't emulate media. */
  getPage() {
    const browser = this.#window?.browser;
    if (browser === undefined) throw new Error('Can’t control WebKitGTK: it has no window');
    return {
      setViewport: (size: Size) => setViewport(browser, size),
      keyboard: {
        press: (key: string) =>
          browser
            .actions()
            .sendKeys(KEYS[key] ?? key)
            .perform(),
      },
      mouse: { move: (x: number, y: number) => browser.actions().move({ x, y, duration: 0 }).perform() },
    };
  }
}

/** Resizes the window so that the page has this size. */
async function setViewport(browser: WebDriver, { width, height }: Size): Promise<void> {
  const window = browser.manage().window();
  const outer = await window.getRect();
  const [innerWidth, innerHeight] = await browser.executeScript<[number, number]>('return [innerWidth, innerHeight]');
  await window.setRect({
    x: 0,
    y: 0,
    width: width + outer.width - innerWidth,
    height: height + outer.height - innerHeight,
  });
}
