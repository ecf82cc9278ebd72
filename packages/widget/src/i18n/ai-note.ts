import { cleanText } from '../data/sanitize.ts';
import type { Messages } from './messages.ts';

/** The longest name of a reviewer, in UTF-16 code units. */
const MAX_REVIEWER = 32;

/** The label of AI texts, with the name of their reviewer where there is one. */
export function aiNote(
  messages: Pick<Messages, 'aiGenerated' | 'aiReviewedBy'>,
  reviewer: string | null | undefined,
): string {
  const name = cleanText(reviewer ?? '', MAX_REVIEWER);
  return name ? messages.aiReviewedBy.replace('{name}', () => name) : messages.aiGenerated;
}
