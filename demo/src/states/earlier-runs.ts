import type { PublicPulse, PublicRun } from '@pulse-card/contract';

/** The number of made-up runs before a pulse's run. */
const EARLIER = 4;

const DAY_MS = 86_400_000;

/** Matches numbers that can change from day to day: decimals and percentages. */
const NUMBERS = /\d+\.\d|\d+(?=\s*%)/g;

/** A pulse's run and made-up earlier runs that are derived from it. */
export function earlierRuns({ jobRunId, completedAt, imageUrl, aiSummaryShort }: PublicPulse): PublicRun[] {
  const latestMs = Date.parse(completedAt ?? new Date().toISOString());
  return Array.from({ length: EARLIER + 1 }, (_, age) => {
    const at = new Date(latestMs - age * DAY_MS).toISOString();
    return {
      jobRunId: age === 0 ? jobRunId : `${jobRunId}_before_${age}`,
      completedAt: at,
      firstSeenAt: at,
      imageUrl,
      aiSummaryShort: aiSummaryShort?.replaceAll(NUMBERS, (number) => smaller(number, age)) ?? null,
    };
  });
}

/** Decreases the last digit of `number`. The older the run, the larger the decrease. */
function smaller(number: string, age: number): string {
  const digits = number.includes('.') ? 1 : 0;
  const step = 10 ** -digits;
  return Math.max(step, Number(number) - age * step).toFixed(digits);
}
