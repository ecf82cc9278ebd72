/** The times of a real set-up, and the same squeezed together so that an hour passes in less. */
export interface ScaledTimes {
  readonly scale: number;
  readonly freshMs: number;
  readonly staleMs: number;
  readonly timeoutMs: number;
  readonly windowMs: number;
  readonly latencyMs: readonly [min: number, max: number];
}

/** Defaults of the BFF and latencies of a service, divided by `scale`. */
export function scaledBy(scale: number): ScaledTimes {
  const min = (ms: number, floor: number) => Math.max(floor, Math.round(ms / scale));
  return {
    scale,
    freshMs: min(15_000, 100),
    staleMs: min(86_400_000, 100),
    timeoutMs: min(5_000, 50),
    windowMs: min(60_000, 100),
    latencyMs: [Math.max(1, 60 / scale), Math.max(2, 300 / scale)],
  };
}

/** The BFF's variables for such times. */
export function variablesOf({ freshMs, staleMs, timeoutMs, windowMs }: ScaledTimes): Record<string, string> {
  return {
    PULSE_FRESH_MS: String(freshMs),
    PULSE_STALE_MS: String(staleMs),
    PULSE_UPSTREAM_TIMEOUT_MS: String(timeoutMs),
    PULSE_RATE_WINDOW_MS: String(windowMs),
  };
}
