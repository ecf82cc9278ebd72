import {
  type AnswerMeta,
  type ErrorCode,
  type PublicSourceFacts,
  type PulseAnswer,
  pulseAnswerSchema,
  type PulseOutcome,
} from '@pulse-card/contract';
import { answerMeta } from '../http/pulse-response-cache.ts';
import { ERROR_TEXTS } from '../http/send-error.ts';

/** What there is of one source: an answer to write, or why there is none. */
export type SourceOutcome =
  | { readonly sourceId: string; readonly answer: PulseAnswer }
  | { readonly sourceId: string; readonly code: ErrorCode; readonly source?: PublicSourceFacts };

/** JSON that stays text where a host takes it for HTML. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** The answer in the text of an earlier export, marked as an earlier version, or undefined where it holds none. */
export function earlierAnswer(text: string | undefined): PulseAnswer | undefined {
  try {
    const answer = pulseAnswerSchema.parse(JSON.parse(text ?? ''));
    return { ...answer, meta: { ...answer.meta, stale: true } };
  } catch {
    return undefined;
  }
}

/** The answer to a whole page's question: all there is, from which a card picks its own. */
export function pulsesAnswer(
  outcomes: readonly SourceOutcome[],
  nowMs: number,
): { meta: AnswerMeta; pulses: PulseOutcome[] } {
  const metas = outcomes.flatMap((outcome) => ('answer' in outcome ? [outcome.answer.meta] : []));
  const oldest = metas.map(({ requestedAt }) => requestedAt).sort()[0];
  const askedAtMs = oldest === undefined ? nowMs : Date.parse(oldest);
  return {
    meta: answerMeta(
      askedAtMs,
      metas.some(({ stale }) => stale),
    ),
    pulses: outcomes.map(rowOf),
  };
}

function rowOf(outcome: SourceOutcome): PulseOutcome {
  const { sourceId } = outcome;
  if ('answer' in outcome) return { sourceId, ok: true, ...outcome.answer };
  const { code, source } = outcome;
  return { sourceId, ok: false, error: ERROR_TEXTS[code], code, ...(source && { source }) };
}
