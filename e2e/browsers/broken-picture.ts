import { snippetFor } from '@pulse-card/widget/snippet';
import type { Bundle } from '@pulse-card/bench/embeds/bundles';
import { type Behavior, startStub } from '@pulse-card/bench/embeds/stub';
import type { Driver } from '@pulse-card/testkit/browsers/driver';
import { until } from '@pulse-card/testkit/until';

/** Screenshots of a snippet's visible part before the script has loaded. */
export interface SnippetPictures {
  /** The chart is loaded. */
  readonly whole: Buffer;
  /** The chart's area, with no chart in it. */
  readonly empty: Buffer;
  /** Screenshots with a chart that can't be loaded, keyed by the reason. */
  readonly broken: Readonly<Record<string, Buffer>>;
}

/** Counts the images that have been decoded and those that have failed to load. */
const COUNT = `<script>
  globalThis.settledImages = 0;
  const settle = () => (settledImages += 1);
  document.addEventListener('load', ({ target }) => target.localName === 'img' && target.decode().then(settle), true);
  document.addEventListener('error', ({ target }) => target.localName === 'img' && settle(), true);
</script>`;

/** A URL that no server listens on. */
const NOBODY = 'http://127.0.0.1:2';

/**
 * Takes screenshots of a snippet in one browser: with its chart, without a chart, and with charts that can't be loaded.
 */
export async function picturesOfSnippet(driver: Driver, bundle: Bundle, chart: Buffer): Promise<SnippetPictures> {
  const pictureOf = async (edit: (html: string, origin: string) => string, failing?: Behavior['failing']) => {
    await using stub = await startStub(bundle, chart, { failing });
    const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: stub.embed, name: 'Q2 revenue' });
    // WebKitGTK doesn't always draw the frame's edges the same way, so the frame is omitted.
    const body = snippet.replace(/<script.*<\/script>/, '').replaceAll(/<rect .*?<\/rect>/g, '');
    stub.behavior.html = edit(
      `<!doctype html><title>A page</title>${COUNT}<body>${body}<p>Below</p></body>`,
      stub.embed,
    );
    await driver.open(`${stub.page}/page`);
    // Waits here, because the stub closes when this function returns.
    return await settledPicture(driver);
  };
  const policy = (html: string): string =>
    html.replace('<title>', `<meta http-equiv="Content-Security-Policy" content="img-src 'none'"><title>`);
  const same = (html: string): string => html;
  return {
    whole: await pictureOf(same),
    empty: await pictureOf((html) => html.replace(/<foreignObject.*<\/foreignObject>/, '')),
    broken: {
      'the server is down': await pictureOf((html, origin) => html.replaceAll(origin, NOBODY)),
      'the BFF returns 404': await pictureOf(same, { kind: 'image', status: 404 }),
      'the BFF returns 503': await pictureOf(same, { kind: 'image', status: 503 }),
      'a policy blocks it': await pictureOf(policy),
    },
  };
}

/** A screenshot of the page once its images have loaded or failed and nothing is changing anymore. */
async function settledPicture(driver: Driver): Promise<Buffer> {
  const areSettled = `settledImages === document.querySelectorAll('img').length`;
  await until('all images have loaded or failed', () => driver.evaluate<boolean>(areSettled));
  let last = await driver.picture();
  return until('nothing changes any more', async () => {
    const before = last;
    last = await driver.picture();
    return last.equals(before) && last;
  });
}
