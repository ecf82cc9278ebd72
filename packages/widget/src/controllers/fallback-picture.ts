import type { LitElement } from 'lit';
import type { Pulse } from '../data/pulse.ts';

/** The maximum wait for the page's image, after which the card requests its own chart. */
const MAX_WAIT_MS = 10_000;

/**
 * The image in the snippet. The page requests this image, the latest chart, before the script has loaded. If the
 * image shows the card's run, the card uses the same URL, so the chart is downloaded only once.
 */
export class FallbackPicture {
  readonly #host: LitElement;
  /** The decision about a run is made only once, because the browser can forget which run the image shows. */
  #decision: { readonly run: string; readonly url: string | undefined } | undefined;
  /** Whether the maximum wait is over. Undefined until the card waits. */
  #isLate: boolean | undefined;

  constructor(host: LitElement) {
    this.#host = host;
    // Image events don't bubble, so the card captures them. Events from its own images don't leave its shadow root.
    for (const type of ['load', 'error']) host.addEventListener(type, () => host.requestUpdate(), true);
  }

  /** The URL of this source's image, if the image has loaded. */
  loadedUrl(sourceId: string): string | undefined {
    const image = this.#imageOf(sourceId);
    return image?.naturalWidth ? image.src : undefined;
  }

  /** Chooses the chart URL of `pulse`. Returns undefined while the page's image is loading. */
  chooseUrl({ sourceId, jobRunId, imageUrl }: Pulse): string | null | undefined {
    const run = `${sourceId} ${jobRunId}`;
    if (this.#decision?.run !== run) {
      if (this.#waitFor(sourceId)) return undefined;
      const url = this.loadedUrl(sourceId);
      this.#decision = { run, url: url && isOfRun(url, jobRunId) ? url : undefined };
    }
    return this.#decision.url ?? imageUrl;
  }

  /**
   * Returns whether the page's image is still loading. If so, updates the host once it has loaded or the maximum wait
   * is over.
   */
  #waitFor(sourceId: string): boolean {
    const image = this.#imageOf(sourceId);
    if (!image || image.complete || this.#isLate) return false;
    // The card hides the image, and a hidden lazy image would never load.
    image.loading = 'eager';
    if (this.#isLate === undefined) setTimeout(() => this.#stopWaiting(), MAX_WAIT_MS);
    this.#isLate = false;
    return true;
  }

  #stopWaiting(): void {
    this.#isLate = true;
    this.#host.requestUpdate();
  }

  #imageOf(sourceId: string): HTMLImageElement | undefined {
    const images = [...this.#host.querySelectorAll('img')];
    return images.find(({ src }) => src.endsWith(`/v1/sources/${sourceId}/image`));
  }
}

/** The BFF names a chart's run in the `Server-Timing` header. */
function isOfRun(url: string, jobRunId: string): boolean {
  const entries = performance.getEntriesByName(url, 'resource') as PerformanceResourceTiming[];
  return entries.some(({ serverTiming }) =>
    serverTiming?.some(({ name, description }) => name === 'run' && description === jobRunId),
  );
}
