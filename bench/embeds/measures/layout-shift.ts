import { setTimeout as delay } from 'node:timers/promises';
import { columnStyle } from '../page-with.ts';
import { type Contestant, openScene } from './contestant.ts';

/** How late everything is, in milliseconds. */
export const LATE_MS = { script: 700, data: 400, frame: 400, image: 200 } as const;

/** Longer than all of it together, on a machine that does other things too. */
const WATCHED_MS = 3_500;

/** The widths of the column, each in a window of which the text below the embed is a part at first. */
export const WIDTHS = [
  { columnPx: 320, viewport: { width: 360, height: 740 } },
  { columnPx: 600, viewport: { width: 1_000, height: 800 } },
  { columnPx: 1_200, viewport: { width: 1_300, height: 1_400 } },
] as const;

const BELOW = '<p>Text below, which must not move.</p>'.repeat(20);

/** The sum of layout shifts while one instance loads in a column, script, data and image late. */
export async function layoutShiftOf(contestant: Contestant, width: (typeof WIDTHS)[number]): Promise<number> {
  await using scene = await openScene(contestant, {
    ids: ['ready-1'],
    style: columnStyle(width.columnPx),
    before: '<p>Text above.</p>',
    after: BELOW,
    behaviour: { lateMs: LATE_MS },
    viewport: width.viewport,
  });
  await delay(WATCHED_MS);
  const { shifts } = await scene.watched.watched();
  return shifts.reduce((sum, shift) => sum + shift, 0);
}
