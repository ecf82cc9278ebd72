import type { Browser, Page } from '@playwright/test';
import type { Stub } from './stub.ts';

/** What a page tells of itself. */
interface Watched {
  readonly shifts: readonly number[];
  readonly violations: readonly string[];
  readonly longTasksMs: readonly number[];
}

/** A page in a context of its own, with all that went wrong in it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly errors: string[];
  readonly warnings: string[];
  watched(): Promise<Watched>;
}

/** Opens the page of `stub`. Nothing is intercepted: that would turn the browser's cache off. */
export async function openWatched(
  browser: Browser,
  stub: Stub,
  viewport: { readonly width: number; readonly height: number },
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const errors: string[] = [];
  const warnings: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.addInitScript(watch);
  await page.goto(`${stub.page}/page`, { waitUntil: 'commit' });
  return {
    page,
    errors,
    warnings,
    watched: () => page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Runs in the page, before anything else does. */
function watch(): void {
  if (window.top !== window) return;
  const watched = { shifts: [] as number[], violations: [] as string[], longTasksMs: [] as number[] };
  Object.assign(globalThis, { watched });
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
    watched.violations.push(effectiveDirective),
  );
  const observe = (type: string, seen: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({ type, buffered: true });
  observe('layout-shift', (entry) => watched.shifts.push((entry as PerformanceEntry & { value: number }).value));
  observe('longtask', ({ duration }) => watched.longTasksMs.push(duration));
}
