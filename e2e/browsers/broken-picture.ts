import { setTimeout as delay } from 'node:timers/promises';
import { snippetFor } from '@pulse-card/widget/snippet';
import type { Bundle } from '../../bench/embeds/bundles.ts';
import { type Behavior, startStub } from '../../bench/embeds/stub.ts';
import type { Driver } from '@pulse-card/testkit/browsers/driver';

/** Pictures of the visible part of a snippet, before the script has loaded. */
export interface SnippetPictures {
  /** The chart is loaded. */
  readonly whole: Buffer;
  /** The chart's area, with no chart in it. */
  readonly empty: Buffer;
  /** Pictures with a chart that can't be loaded. The keys are the reasons. */
  readonly broken: Readonly<Record<string, Buffer>>;
}

/** How long to wait for the page, in ms. Browsers need less time to draw files from this machine. */
const DRAWN_MS = 600;

/** An address at which no program listens. */
const NOBODY = 'http://127.0.0.1:2';

/**
 * Takes pictures of a snippet in one browser: with its chart, without a chart, and with charts that can't be loaded.
 */
export async function picturesOfSnippet(driver: Driver, bundle: Bundle, chart: Buffer): Promise<SnippetPictures> {
  const pictureOf = async (edit: (html: string, origin: string) => string, failing?: Behavior['failing']) => {
    await using stub = await startStub(bundle, chart, { failing });
    const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: stub.embed, name: 'Q2 revenue' });
    const body = snippet.replace(/<script.*<\/script>/, '');
    stub.behavior.html = edit(`<!doctype html><title>A page</title><body>${body}<p>Below</p></body>`, stub.embed);
    await driver.open(`${stub.page}/page`);
    await delay(DRAWN_MS);
    return driver.picture();
  };
  const policy = (html: string): string =>
    html.replace('<title>', `<meta http-equiv="Content-Security-Policy" content="img-src 'none'"><title>`);
  const same = (html: string): string => html;
  return {
    whole: await pictureOf(same),
    empty: await pictureOf((html) => html.replace(/<foreignObject.*<\/foreignObject>/, '')),
    broken: {
      'the server is down': await pictureOf((html, origin) => html.replaceAll(origin, NOBODY)),
      'the BFF answers 404': await pictureOf(same, { kind: 'image', status: 404 }),
      'the BFF answers 503': await pictureOf(same, { kind: 'image', status: 503 }),
      'a policy blocks it': await pictureOf(policy),
    },
  };
}
