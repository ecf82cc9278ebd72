// What can go wrong with hosts and keys, in real time: a hung and a flapping host, storms of 429, revoked and rotated keys.
import { parseArgs } from 'node:util';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { flappingHost } from './flapping-host.ts';
import { hungHost } from './hung-host.ts';
import { announcedStorm, silentStorm } from './limit-storm.ts';
import { revokedKey } from './revoked-key.ts';
import { rotatedKey } from './rotated-key.ts';
import type { Fault } from './stage.ts';
import { wrongAnswers } from './wrong-answers.ts';

const faults: Readonly<Record<string, Fault>> = {
  hung: hungHost,
  flapping: flappingHost,
  storm: announcedStorm,
  'silent-storm': silentStorm,
  revoked: revokedKey,
  rotated: rotatedKey,
  wrong: wrongAnswers,
};

const { values } = parseArgs({
  options: {
    /** Faults to go through, comma-separated. */
    only: { type: 'string', default: Object.keys(faults).join(',') },
  },
});
const names = values.only.split(',');
const unknown = names.filter((name) => !(name in faults));
if (unknown.length > 0)
  throw new Error(`Cannot go through "${unknown.join(', ')}": there are ${Object.keys(faults).join(', ')}`);

console.log(`Faults, side by side, about five minutes: ${names.join(', ')}`);
const reports = await Promise.all(
  names.map(async (name) => {
    const report = await faults[name]!();
    console.log(`  ${name}: ${report.facts.map(([what, figure]) => `${what}: ${figure ?? 'never'}`).join('; ')}`);
    return report;
  }),
);

const sections = reports.map(({ title, done, facts }) => {
  const rows = facts.map(([what, figure]) => [
    what,
    String(typeof figure === 'number' ? Math.round(figure * 100) / 100 : (figure ?? 'never')),
  ]);
  return `## ${title}\n\n${done}\n\n${table(['', ''], rows)}`;
});

await writeResult({
  name: names.length === Object.keys(faults).length ? 'faults' : `faults-${names.join('-')}`,
  title: 'Faults of hosts and keys',
  figures: reports,
  text: `
Each fault has a BFF process of its own with defaults, two hosts of a recording upstream, and 20 visitors a second over ten sources that
had all been answered before. Real times. "First" and "after" count from the moment the fault began or ended.

${sections.join('\n\n')}
`,
});
