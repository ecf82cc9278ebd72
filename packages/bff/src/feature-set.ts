import { Router } from 'express';
import type { SourceSnapshot } from './cache/entries.ts';
import type { AdminDocument, Core, Feature, FeatureDefinition } from './feature.ts';
import type { Additions } from './http/route.ts';
import { closeAll } from './lib/close-all.ts';
import { type Problem, ranked } from './observability/problem.ts';
import type { CallObserver } from './upstream/call-observer.ts';

/** All features that are on. No feature is on before `open()` is called. */
export class FeatureSet {
  readonly list: Feature[] = [];

  /** Opens the features that the configuration turns on. */
  async open(definitions: readonly FeatureDefinition[], core: Core): Promise<void> {
    for (const definition of definitions) {
      const feature = await definition.open(core, core.config.featureSettings);
      if (feature !== undefined) this.list.push(feature);
    }
  }

  /** Starts the background work of features. Errors that a feature throws are passed to `onFault`. */
  start(onFault: (fault: unknown) => void): void {
    for (const feature of this.list) Promise.resolve(feature.start?.()).catch(onFault);
  }

  /** Closes the features in reverse order. */
  async close(): Promise<void> {
    await closeAll(this.list.toReversed().map((feature) => () => feature.close?.()));
  }

  /** Lets features observe the cache and its calls. */
  readonly hooks = {
    observer: {
      called: (report) => this.list.forEach(({ calls }) => calls?.called?.(report)),
      refused: (reason) => this.list.forEach(({ calls }) => calls?.refused?.(reason)),
    } satisfies CallObserver,
    onStored: (snapshot: SourceSnapshot): void => this.list.forEach((feature) => feature.onStored?.(snapshot)),
    onPurge: (): void => this.list.forEach((feature) => feature.onPurge?.()),
  };

  /** All current problems, with the most serious ones first. */
  problems(): Problem[] {
    return ranked(this.list.flatMap((feature) => feature.problems?.() ?? []));
  }

  /** The documents that programs read on the private port, keyed by path. */
  documents(): Readonly<Record<string, AdminDocument>> {
    return Object.assign({}, ...this.list.map(({ documents = {} }) => documents)) as Record<string, AdminDocument>;
  }

  /** Pages for operators: the status page and the Studio. They show every source. */
  operatorPages(): Router {
    const router = Router({ caseSensitive: true });
    for (const { operatorPages } of this.list) if (operatorPages) router.use(operatorPages);
    return router;
  }

  /** What features add to answers. */
  additions(): Additions {
    const { list } = this;
    const amendments = list.flatMap(({ amend }) => amend ?? []);
    const revisions = list.flatMap(({ revision }) => revision ?? []);
    const pulseOfRun = list.find((feature) => feature.pulseOfRun)?.pulseOfRun;
    return {
      amend: (answer) => amendments.reduce((amended, amend) => amend(amended), answer),
      revision: () => revisions.map((revision) => revision()).join(),
      ...(pulseOfRun && { pulseOfRun }),
      headLinks: (sourceId, pulse) => list.flatMap(({ headLinks }) => headLinks?.(sourceId, pulse) ?? []),
      chartSizeOf: list.find(({ chartSizeOf }) => chartSizeOf)?.chartSizeOf ?? (() => undefined),
    };
  }
}
