import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  fetchConfig,
  fetchImageOrigin,
  fetchSources,
  fetchTrouble,
  type ListedSource,
  type StudioConfig,
} from '../shell/bff-api.ts';
import { IS_PREVIEW } from '../shell/preview.ts';

/** How long to wait after a failure before the sources are requested again. */
const RETRY_MS = 10_000;

/** A sentence above the Studio. */
export interface Notice {
  readonly kind: 'danger' | 'neutral';
  readonly words: string;
}

const NO_SOURCES: Notice = {
  kind: 'neutral',
  words: 'This account has no sources yet, so the card shows a sample. Create one in the service’s dashboard.',
};

const PREVIEW: Notice = {
  kind: 'neutral',
  words:
    'A preview with the demo’s charts. In the code, replace https://pulse.example.com with the URL of your server.',
};

/** The configuration that the Studio assumes if the BFF doesn't respond. */
const UNKNOWN_CONFIG: StudioConfig = {
  publicUrl: location.origin,
  allowedOrigins: [],
  ownOrigins: [location.origin],
  access: 'public',
  sources: { listed: true, ids: [] },
  script: null,
  images: { mode: 'direct', hosts: [] },
};

/** The BFF's configuration and sources. The requests for both are repeated until the BFF responds. */
export class ServerFacts implements ReactiveController {
  config: StudioConfig = UNKNOWN_CONFIG;
  /** Undefined until the BFF has responded. */
  sources: readonly ListedSource[] | undefined;
  /** The reason why there is no card to show. */
  notice: Notice | undefined;
  /** The visible chart's origin. */
  chartOrigin: string | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #onLoad: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onLoad` is called for each response and each failure. */
  constructor(host: ReactiveControllerHost, onLoad: () => void) {
    this.#host = host;
    this.#onLoad = onLoad;
    host.addController(this);
  }

  hostConnected(): void {
    void this.#load();
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  async readChartOrigin(sourceId: string): Promise<void> {
    this.chartOrigin = sourceId === '' ? undefined : await fetchImageOrigin(sourceId).catch(() => undefined);
    this.#host.requestUpdate();
  }

  async #load(): Promise<void> {
    const [config, sources] = await Promise.allSettled([fetchConfig(), fetchSources()]);
    if (config.status === 'fulfilled') this.config = config.value;
    if (sources.status === 'fulfilled') {
      this.sources = sources.value;
      this.notice = IS_PREVIEW ? PREVIEW : sources.value.length === 0 ? NO_SOURCES : undefined;
    } else {
      this.notice = { kind: 'danger', words: (await fetchTrouble()) ?? (sources.reason as Error).message };
      this.#timer = setTimeout(() => void this.#load(), RETRY_MS);
    }
    this.#onLoad();
    this.#host.requestUpdate();
  }
}
