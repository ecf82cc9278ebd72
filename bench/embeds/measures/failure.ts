import { setTimeout as delay } from 'node:timers/promises';
import { columnStyle } from '../page-with.ts';
import { visibleText } from '../visible-text.ts';
import { type Contestant, openScene } from './contestant.ts';

const COUNTED_MS = 12_000;
const WATCHED_MS = 20_000;

/** What became of an embed whose endpoint answers 500. */
export interface FailureFigures {
  readonly requestsIn12s: number;
  readonly textAt12s: string;
  readonly textAt20s: string;
  readonly uncaught: readonly string[];
  readonly warnings: number;
}

/** Watches one instance whose endpoint answers 500; undefined for what asks for nothing. */
export async function failureOf(contestant: Contestant): Promise<FailureFigures | undefined> {
  const { failing } = contestant.embed;
  if (!failing) return undefined;
  await using scene = await openScene(contestant, {
    ids: ['ready-1'],
    style: columnStyle(600),
    behaviour: { failing: { kind: failing, status: 500 } },
  });
  const { stub, watched } = scene;
  await delay(COUNTED_MS);
  const requestsIn12s = stub.arrivals.filter(({ kind }) => kind === failing).length;
  const textAt12s = await visibleText(watched.page);
  await delay(WATCHED_MS - COUNTED_MS);
  const textAt20s = await visibleText(watched.page);
  return { requestsIn12s, textAt12s, textAt20s, uncaught: watched.errors, warnings: watched.warnings.length };
}
