/** What a visitor got. */
export interface Reply {
  /** The status, or `unreachable` where no answer came at all. */
  readonly status: number | 'unreachable';
  /** The error's code, or the run that was shown. */
  readonly said: string | undefined;
  readonly isStale: boolean;
}

/** Asks for the pulse of a source. */
export type Ask = (id: string) => Promise<Reply>;

/** How long a visitor waits. */
const VISITOR_PATIENCE_MS = 15_000;

/** Visitors of a BFF at `baseUrl`. */
export function visitorsOf(baseUrl: string): Ask {
  return async (id) => {
    try {
      const signal = AbortSignal.timeout(VISITOR_PATIENCE_MS);
      const answer = await fetch(`${baseUrl}/v1/sources/${id}/pulse`, { signal });
      const body = (await answer.json()) as { code?: string; meta?: { stale: boolean }; pulse?: { jobRunId: string } };
      return { status: answer.status, said: body.code ?? body.pulse?.jobRunId, isStale: body.meta?.stale === true };
    } catch {
      return { status: 'unreachable', said: undefined, isStale: false };
    }
  };
}
