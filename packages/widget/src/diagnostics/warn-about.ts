import type { Failure } from '../data/result.ts';
import type { RequestFacts } from '../after-paint/explain-failure.ts';
import { afterPaint } from '../lazy/lazy-module.ts';
import { blockingDirective } from './policy-violations.ts';
import { warnOnce } from './warn-once.ts';

/**
 * Logs one line about a failed request. If the code with the explanations can't be loaded, the line contains only the
 * status and the error code.
 */
export async function warnAboutFailure(failure: Failure, facts: RequestFacts): Promise<void> {
  const { status, code } = failure;
  const loaded = await afterPaint.load();
  const line = loaded?.explainFailure(failure, { ...facts, blockedBy: blockingDirective(facts.bff) });
  warnOnce(line ?? `Can’t load from ${facts.bff} (${status} ${code})`);
}

/** Logs one line about an image that can't be loaded. */
export async function warnAboutPicture(url: string): Promise<void> {
  const loaded = await afterPaint.load();
  warnOnce(loaded?.explainMissingPicture(url, blockingDirective(url)) ?? `Can’t load ${url}`);
}
