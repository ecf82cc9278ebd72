import type { Failure } from '../data/result.ts';
import type { RequestFacts } from '../after-paint/explain-failure.ts';
import { afterPaint } from '../lazy/lazy-module.ts';
import { warnOnce } from './warn-once.ts';

/**
 * Logs one line about a failed request. If the code with the explanations can't be loaded, the line contains only the
 * status and the error code.
 */
export async function warnAboutFailure(failure: Failure, facts: RequestFacts): Promise<void> {
  const { status, code } = failure;
  const loaded = await afterPaint.load();
  const line = loaded?.explainFailure(failure, facts);
  warnOnce(line ?? `Can’t load from ${facts.bff} (${status} ${code})`);
}
