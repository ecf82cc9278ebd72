import { setTimeout as pause } from 'node:timers/promises';

/** The options for `until`. */
export interface UntilOptions {
  /** @default 120000: less than the time limit of a test */
  readonly withinMs?: number;
  /** @default 50 */
  readonly everyMs?: number;
  /** Lines that explain a failure, such as a server's log. */
  readonly lines?: () => readonly string[];
}

type Truthy<Value> = Exclude<Value, false | 0 | '' | null | undefined>;

/**
 * Resolves to the first truthy value of `fact`. If `fact` throws an error, it is called again. If this takes too long,
 * rejects with `what`, with the last error as the cause.
 */
export async function until<Value>(
  what: string,
  fact: () => Value | Promise<Value>,
  { withinMs = 120_000, everyMs = 50, lines = () => [] }: UntilOptions = {},
): Promise<Truthy<Value>> {
  const end = performance.now() + withinMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await fact();
      if (value) return value as Truthy<Value>;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end)
      throw new Error([`Waited ${withinMs} ms, but this didn’t happen: ${what}`, ...lines()].join('\n'), { cause });
    await pause(everyMs);
  }
}
