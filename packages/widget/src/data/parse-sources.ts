import { parseOrFail, parseText } from './parse-pulse.ts';
import type { Result } from './result.ts';
import { isId, safeUrl } from './sanitize.ts';

/** A source in the list. The optional fields are set if the BFF's operator exposes them. */
export interface ListedSource {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string | null;
  readonly status: string | null;
  /** The source's page in the dashboard. */
  readonly link?: string | null;
  readonly connectionCount?: number | null;
}

/** The account's sources, most recently changed first. */
export type SourceList = readonly ListedSource[];

/** The list in a response body, cleaned. */
export function parseSources(body: unknown): Result<SourceList> {
  return parseOrFail(() => {
    const { meta, sources } = body as { meta: { stale: unknown }; sources: ListedSource[] };
    const data = sources
      .filter(({ id }) => isId(id))
      .map((source) => ({
        ...source,
        name: parseText(source.name),
        provider: parseText(source.provider),
        status: parseText(source.status),
        link: safeUrl(source.link),
      }));
    return { ok: true, data, stale: meta.stale === true };
  });
}
