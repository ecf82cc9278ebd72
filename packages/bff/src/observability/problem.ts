import { errorCodeSchema } from '@pulse-card/contract';
import type { ReadinessFailure } from '../http/request-context.ts';

/** A problem in words, for the log, alerts, `/readyz`, `/status`, and `pulse-bff check`. */
export interface Problem {
  /** The public error code that readers get because of the problem, if there is one. */
  readonly code: string;
  /**
   * `down`: charts aren't refreshed, or most readers get none. `degraded`: something works less well. `notice`: the
   * problem is never used as the headline.
   */
  readonly level: 'down' | 'degraded' | 'notice';
  /** The problem in one sentence. */
  readonly headline: string;
  /** The advice, and what happens if the operator doesn't follow it. */
  readonly advice: string;
  /** The source, if the problem affects a single source. */
  readonly sourceId?: string;
  /** The chart host, if the problem affects a single host. */
  readonly host?: string;
}

/** Identifies a problem as long as it lasts, even if its text changes. */
export function topicOf({ code, sourceId, host }: Problem): string {
  const part = sourceId ?? host;
  return part === undefined ? code : `${code} ${part}`;
}

/** Sorts problems, with the most serious ones first. Problems of single hosts and sources come last. */
export function ranked(problems: readonly Problem[]): Problem[] {
  const rankOf = ({ sourceId, host }: Problem): number => (sourceId !== undefined ? 2 : Number(host !== undefined));
  return problems.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Why an instance with these problems and nothing to serve shouldn't get traffic. */
export function readinessFailureOf([first]: readonly Problem[]): ReadinessFailure {
  const code = errorCodeSchema.safeParse(first?.code).data ?? 'upstream_unavailable';
  return { code, reason: first?.headline ?? 'There is nothing to serve.' };
}
