import { setTimeout as delay } from 'node:timers/promises';
import { columnStyle } from '../page-with.ts';
import { visibleText } from '../visible-text.ts';
import { type Contestant, openScene } from './contestant.ts';

const WATCHED_MS = 2_500;

/** What became of a page with the same script from two addresses. */
export interface TwiceFigures {
  readonly uncaught: readonly string[];
  readonly warnings: readonly string[];
  readonly text: string;
}

/** Loads the script from two addresses on one page. */
export async function loadedTwice(contestant: Contestant): Promise<TwiceFigures> {
  await using scene = await openScene(contestant, { ids: ['ready-1'], style: columnStyle(600), copies: 2 });
  await delay(WATCHED_MS);
  const { errors: uncaught, warnings, page } = scene.watched;
  return { uncaught, warnings, text: await visibleText(page) };
}
