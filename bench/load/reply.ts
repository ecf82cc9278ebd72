/** What a visitor got. */
export interface Reply {
  /** The status, or why no answer came: the port was closed, the connection ended early, or the visitor's patience did. */
  readonly status: number | 'refused' | 'cut' | 'gave-up';
  /** The error's code, or the run that was shown. */
  readonly said: string | undefined;
  readonly isStale: boolean;
}

/** Asks for the pulse of a source. */
export type Ask = (id: string) => Promise<Reply>;

/** How long a visitor waits. */
const VISITOR_TIMEOUT_MS = 15_000;

/** Visitors of a BFF at `baseUrl`. */
export function visitorsOf(baseUrl: string): Ask {
  return async (id) => {
    try {
      const signal = AbortSignal.timeout(VISITOR_TIMEOUT_MS);
      const answer = await fetch(`${baseUrl}/v1/sources/${id}/pulse`, { signal });
      const body = (await answer.json()) as { code?: string; meta?: { stale: boolean }; pulse?: { jobRunId: string } };
      return { status: answer.status, said: body.code ?? body.pulse?.jobRunId, isStale: body.meta?.stale === true };
    } catch (error) {
      return { status: whyNone(error), said: undefined, isStale: false };
    }
  };
}

function whyNone(error: unknown): Reply['status'] {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'gave-up';
  return cause?.code === 'ECONNREFUSED' ? 'refused' : 'cut';
}
