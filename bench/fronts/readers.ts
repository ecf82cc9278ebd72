import { setTimeout as pause } from 'node:timers/promises';

/** Readers who come at a steady pace, each to the next of the paths. */
export interface Readers {
  readonly url: string;
  readonly paths: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

/** What readers got. */
export interface ReaderFigures {
  readonly requests: number;
  readonly failures: number;
}

/** Lets readers come; resolves when all are answered. */
export async function letReadersCome({ url, paths, perSecond, seconds }: Readers): Promise<ReaderFigures> {
  const requests = perSecond * seconds;
  const startedAt = performance.now();
  let failures = 0;
  const asked: Promise<void>[] = [];
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status !== 200) failures += 1;
  };
  for (let index = 0; index < requests; index += 1) {
    await pause(Math.max(0, startedAt + (index / perSecond) * 1_000 - performance.now()));
    asked.push(ask(paths[index % paths.length]!));
  }
  await Promise.all(asked);
  return { requests, failures };
}
