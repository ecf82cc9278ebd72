/** What the page reads of the `/status` document. */
export interface StatusDocument {
  readonly at: string;
  readonly uptimeMs: number;
  readonly summary: {
    readonly level: 'ok' | 'degraded' | 'down';
    readonly headline: string;
    readonly advice: string;
  };
  readonly warnings: readonly string[];
  readonly hosts: readonly HostStatus[];
  readonly key: { readonly state: 'untried' | 'accepted' | 'refused'; readonly missingScope?: string };
  readonly redis: ClusterStatus | null;
  readonly budget: BudgetStatus;
  readonly lastHour: AnswerCounts;
  readonly live: { readonly connections: number };
  readonly sources: readonly SourceStatus[];
  readonly turnedAway: readonly TurnedAway[];
  readonly readersToday: ReadersToday;
}

export interface HostStatus {
  readonly host: 'main' | 'alt';
  readonly state: 'closed' | 'degraded' | 'open' | 'half-open';
  readonly preferred: boolean;
  readonly consecutiveFailures: number;
  readonly openForMs: number;
}

export interface ClusterStatus {
  readonly state: 'joined' | 'lost';
  readonly instances: number;
  readonly lostForMs: number;
}

export interface BudgetStatus {
  readonly limit: number;
  readonly windowMs: number;
  readonly spent: number;
  readonly reserved: number;
  readonly others: number;
  /** Own calls that the window still takes. */
  readonly free: number;
  /** Calls that may leave now. */
  readonly left: number;
  /** Own calls that fit into a window. */
  readonly capacity: number;
  readonly pausedForMs: number;
  readonly history: readonly { readonly at: string; readonly spent: number }[];
}

export interface AnswerCounts {
  readonly fresh: number;
  readonly stale: number;
  readonly waited: number;
  readonly refused: number;
  readonly failed: number;
}

export interface SourceStatus {
  readonly id: string;
  readonly name: string | null;
  readonly provider: string | null;
  readonly readersSee: 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';
  readonly ageSeconds: number | null;
  readonly nextRefreshInSeconds: number | null;
  readonly viewsPerMinute: number;
  readonly readers: number;
  readonly reason: { readonly code: string; readonly words: string };
}

export interface TurnedAway {
  readonly code: string;
  readonly words: string;
  readonly origin: string;
  readonly count: number;
  readonly advice: string;
}

export interface ReadersToday {
  readonly since: string;
  readonly sources: readonly {
    readonly sourceId: string;
    readonly views: number;
    readonly origins: readonly { readonly origin: string; readonly views: number }[];
  }[];
}
