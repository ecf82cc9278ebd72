import type { Browser } from '@playwright/test';
import type { Bundle } from '../bundles.ts';
import type { Embed } from '../embed.ts';
import { type Behaviour, type Stub, startStub } from '../stub.ts';
import { openWatched, type WatchedPage } from '../watched-page.ts';
import { type Layout, pageWith } from '../page-with.ts';

/** An embed with all that is needed to measure it. */
export interface Contestant {
  readonly embed: Embed;
  readonly bundle: Bundle;
  readonly chart: Buffer;
  readonly browser: Browser;
}

/** A stub and the page that it serves, open. */
export interface Scene extends AsyncDisposable {
  readonly stub: Stub;
  readonly watched: WatchedPage;
}

/** How a scene is set. */
export interface SceneOptions extends Layout {
  readonly behaviour?: Partial<Behaviour>;
  /** @default 1000 by 800 */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The page's policy, once the addresses are known. */
  readonly policy?: (stub: Stub) => string;
}

/** Opens a page with the contestant in a stub of its own. */
export async function openScene(
  { embed, bundle, chart, browser }: Contestant,
  { behaviour, policy, viewport = { width: 1_000, height: 800 }, ...layout }: SceneOptions,
): Promise<Scene> {
  const stub = await startStub(bundle, chart, behaviour);
  stub.behaviour.html = pageWith(embed, stub, layout);
  stub.behaviour.policy = policy?.(stub);
  const watched = await openWatched(browser, stub, viewport);
  return {
    stub,
    watched,
    async [Symbol.asyncDispose]() {
      await watched[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}
