import { warnOnce } from '../diagnostics/warn-once.ts';
import type * as afterPaint from '../after-paint/index.ts';
import type * as extras from '../extras/index.ts';

export type AfterPaint = typeof afterPaint;
export type Extras = typeof extras;

// Bundlers put each of these imports into a separate chunk. In `pulse-card.js`, `file-imports.ts` replaces this module.

export function importAfterPaint(_attempt: number): Promise<AfterPaint> {
  return import('../after-paint/index.ts').catch(reject);
}

export function importExtras(_attempt: number): Promise<Extras> {
  return import('../extras/index.ts').catch(reject);
}

function reject(cause: unknown): never {
  warnOnce('Can’t load a chunk: deploy all chunks of the bundle, and allow them in script-src');
  throw cause;
}
