import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { PulseCard, PulseLoadDetail, PulseUpdateDetail } from '@pulse-card/widget';
import type { Settings } from './settings.ts';

type Texts = Readonly<Record<string, string>>;

/**
 * The facts that the cards on the stage have loaded, by source. The code for embedding a card depends on these facts.
 */
export class CardFacts implements ReactiveController {
  /** The names of sources that the list omits. */
  names: Texts = {};
  findings: Texts = {};
  runs: Texts = {};
  /** The width of each source's chart divided by its height. */
  chartRatios: Readonly<Record<string, number>> = {};
  /**
   * Whether all facts that the code depends on are known. Until they are known, the code would change while someone
   * reads it.
   */
  isComplete = false;
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #settings: () => Pick<Settings, 'state'>;

  /** The stand-in changes the facts that cards load, so facts only count while `settings` has the `fresh` state. */
  constructor(host: ReactiveControllerHost & HTMLElement, settings: () => Pick<Settings, 'state'>) {
    this.#host = host;
    this.#settings = settings;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.addEventListener('pulse-load', this.#remember);
    this.#host.addEventListener('pulse-update', this.#rememberRun);
    for (const type of ['pulse-empty', 'pulse-error'] as const) this.#host.addEventListener(type, this.complete);
  }

  hostDisconnected(): void {
    this.#host.removeEventListener('pulse-load', this.#remember);
    this.#host.removeEventListener('pulse-update', this.#rememberRun);
    for (const type of ['pulse-empty', 'pulse-error'] as const) this.#host.removeEventListener(type, this.complete);
  }

  /** Called when no card will add more facts. */
  readonly complete = (): void => {
    this.isComplete = true;
    this.#host.requestUpdate();
  };

  readonly #remember = (event: CustomEvent<PulseLoadDetail>): void => {
    this.#rememberRun(event);
    const { sourceId, sourceName, aiSummaryShort, imageUrl } = event.detail.pulse;
    if (this.#settings().state === 'fresh') {
      if (sourceName !== null) this.names = { [sourceId]: sourceName, ...this.names };
      if (aiSummaryShort !== null)
        this.findings = { ...this.findings, [sourceId]: aiSummaryShort.replaceAll(/[*`]/g, '') };
    }
    void this.#rememberChartRatio(sourceId, imageUrl).then(this.complete);
  };

  /** Marks the run on the stage as reviewed. */
  readonly #rememberRun = (event: CustomEvent<PulseLoadDetail | PulseUpdateDetail>): void => {
    const { jobRunId, sourceId } = event.detail.pulse;
    (event.composedPath()[0] as PulseCard).aiReviewedRun = jobRunId;
    this.runs = { ...this.runs, [sourceId]: jobRunId };
    this.#host.requestUpdate();
  };

  async #rememberChartRatio(sourceId: string, url: string | null): Promise<void> {
    if (url === null || this.chartRatios[sourceId] !== undefined || this.#settings().state !== 'fresh') return;
    const chart = new Image();
    chart.src = url;
    const isLoaded = await chart.decode().then(
      () => true,
      () => false,
    );
    if (isLoaded) this.chartRatios = { ...this.chartRatios, [sourceId]: chart.naturalWidth / chart.naturalHeight };
  }
}
