import { cleanLine } from '@pulse-card/contract/text';
import type { Messages } from './messages.ts';

/** The maximum length of a reviewer's name, in UTF-16 code units. */
const MAX_REVIEWER = 32;

/** The label for AI-generated text, with the reviewer's name if there is a reviewer. */
export function aiNote(
  messages: Pick<Messages, 'aiGenerated' | 'aiReviewedBy'>,
  reviewer: string | null | undefined,
): string {
  const name = cleanLine(reviewer ?? '', MAX_REVIEWER);
  return name ? messages.aiReviewedBy.replace('{name}', () => name) : messages.aiGenerated;
}

/** The reviewer and the runs that were reviewed. */
export interface Review {
  readonly aiReviewedBy?: string | null | undefined;
  /** IDs, separated by spaces. */
  readonly aiReviewedRun?: string | null | undefined;
}

/** The reviewer of the text in `run`; empty if the run wasn't reviewed. */
export function reviewerOf({ aiReviewedBy, aiReviewedRun }: Review, run: string | undefined): string {
  return (run && String(aiReviewedRun).split(/\s+/).includes(run) && aiReviewedBy) || '';
}
