import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PulseCard, PulseLoadDetail, PulseUpdateDetail } from '@pulse-card/widget';
import { plainText } from '@pulse-card/widget/snippet';
import type { RunFacts } from './code-facts.ts';
import type { Settings } from './settings.ts';

/** The facts about a source that a card has loaded. */
export interface SourceFacts {
  readonly name: string | null;
  readonly run: RunFacts;
  /** The chart's aspect ratio (width divided by height). Undefined until the chart has loaded. */
  readonly chartRatio?: number | undefined;
}

/**
 * The facts that the cards on the stage have loaded, keyed by source. The code for embedding a card depends on these
 * facts.
 */
export class CardFacts implements ReactiveController {
  /**
   * Whether all facts that the code depends on are known. Until then, the code could change while someone is reading
   * it.
   */
  isComplete = false;
  #sources: Readonly<Record<string, SourceFacts>> = {};
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #settings: () => Pick<Settings, 'state'>;

  constructor(host: ReactiveControllerHost & HTMLElement, settings: () => Pick<Settings, 'state'>) {
    this.#host = host;
    this.#settings = settings;
    host.addController(this);
  }

  hostConnected(): void {
    for (const type of ['pulse-load', 'pulse-update'] as const) this.#host.addEventListener(type, this.#remember);
    for (const type of ['pulse-empty', 'pulse-error'] as const) this.#host.addEventListener(type, this.complete);
  }

  hostDisconnected(): void {
    for (const type of ['pulse-load', 'pulse-update'] as const) this.#host.removeEventListener(type, this.#remember);
    for (const type of ['pulse-empty', 'pulse-error'] as const) this.#host.removeEventListener(type, this.complete);
  }

  /** The facts about a source. Undefined until a card has loaded it. */
  of(sourceId: string): SourceFacts | undefined {
    return this.#sources[sourceId];
  }

  /** Called when no card will add more facts. */
  readonly complete = (): void => {
    this.isComplete = true;
    this.#host.requestUpdate();
  };

  /**
   * Marks the run on the stage as reviewed. The stand-in changes what cards load, so only cards in the "fresh" state
   * add facts.
   */
  readonly #remember = (event: CustomEvent<PulseLoadDetail | PulseUpdateDetail>): void => {
    const { jobRunId, sourceId, sourceName, completedAt, aiSummaryShort, imageUrl } = event.detail.pulse;
    (event.composedPath()[0] as PulseCard).aiReviewedRun = jobRunId;
    const isFresh = this.#settings().state === 'fresh';
    if (isFresh || this.#sources[sourceId] === undefined) {
      const finding = aiSummaryShort === null ? null : plainText(aiSummaryShort);
      const run = {
        id: jobRunId,
        completedAt,
        ...(isFresh ? { finding, imageUrl } : { finding: null, imageUrl: null }),
      };
      this.#sources = { ...this.#sources, [sourceId]: { ...this.#sources[sourceId], name: sourceName, run } };
    }
    void this.#rememberChartRatio(sourceId, imageUrl).then(this.complete);
  };

  async #rememberChartRatio(sourceId: string, url: string | null): Promise<void> {
    const facts = this.#sources[sourceId];
    if (url === null || facts === undefined || facts.chartRatio !== undefined) return;
    const chart = new Image();
    chart.src = url;
    const isLoaded = await chart.decode().then(
      () => true,
      () => false,
    );
    const chartRatio = isLoaded ? chart.naturalWidth / chart.naturalHeight : undefined;
    this.#sources = { ...this.#sources, [sourceId]: { ...facts, ...this.#sources[sourceId], chartRatio } };
  }
}
