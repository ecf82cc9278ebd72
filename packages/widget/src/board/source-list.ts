import { readText, understood } from '../pulse-guard.ts';
import type { Outcome } from '../pulse-outcome.ts';
import { safeUrl } from '../safe-url.ts';

/** A source as the board shows it; the operator of the BFF may add the optional fields. */
export interface ListedSource {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string | null;
  readonly status: string | null;
  /** Its page in the dashboard. */
  readonly link?: string | null;
  readonly connectionCount?: number | null;
}

/** What the list operation says, the source that changed last first. */
export type SourceList = readonly ListedSource[];

/** The list in the answer `body`, cleaned of what may not be shown. */
export function readSources(body: unknown): Outcome<SourceList> {
  return understood(() => {
    const { meta, sources } = body as { meta: { stale: unknown }; sources: ListedSource[] };
    const list = sources.map((source) => ({
      ...source,
      name: readText(source.name),
      provider: readText(source.provider),
      // In upper case no status is one of our class names.
      status: readText(source.status)?.toUpperCase() ?? null,
      link: safeUrl(`${source.link}`),
    }));
    return { ok: true, pulse: list, source: null, stale: meta.stale === true };
  });
}
