import { readCo2, yearMeans } from '../stories/mauna-loa.ts';
import { entry } from '../words/measures.ts';
import { decimal } from '../words/numbers.ts';
import type { CaseTexts } from './changed-words.ts';

/** A very long text with real data: the carbon dioxide level at Mauna Loa in each year. */
export function co2Walk(): CaseTexts {
  const means = yearMeans(readCo2());
  const steps = means
    .slice(1)
    .map(({ year, level }, index) => ({ year, level, step: level - entry(means, index).level }));
  const [first, last] = [entry(means, 0), entry(means, -1)];
  return {
    name: `Carbon dioxide at Mauna Loa, the mean of every year from ${first.year} to ${last.year}, seasonally adjusted, in parts per million of dry air, as the Scripps Institution of Oceanography publishes it`,
    short: `The mean went from ${decimal(first.level, 1)} ppm to ${decimal(last.level, 1)} ppm, and in no decade did it fall: ${steps
      .filter(({ year }) => year % 10 === 0)
      .map(({ year, level }) => `in ${year} it was ${decimal(level, 1)} ppm`)
      .join(', ')}, and at the end of the record it was higher than at any time before.`,
    long: steps.map(yearParagraph).join('\n\n'),
  };
}

function yearParagraph({ year, level, step }: { year: number; level: number; step: number }): string {
  const moved = step < 0 ? `fell by ${decimal(-step, 2)}` : `rose by ${decimal(step, 2)}`;
  return `**${year}.** The mean ${moved} ppm to \`${decimal(level, 2)}\` ppm. ${paceOf(step)} The figure is the mean of all twelve months, each without the part that comes and goes with the seasons.`;
}

function paceOf(step: number): string {
  if (step > 2)
    return 'That is *more than two parts in a million within one year*, a pace that the first decades of the record never reached.';
  if (step > 1) return 'That is between one and two parts in a million within one year.';
  return 'That is less than one part in a million within one year.';
}
