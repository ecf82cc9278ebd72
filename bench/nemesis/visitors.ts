import { setTimeout as pause } from 'node:timers/promises';
import { type Random, randomFrom } from '@pulse-card/testkit/random';
import { nowNs } from '@pulse-card/testkit/service/fake-service';
import { SERVICE_KEY } from '@pulse-card/testkit/service/fake-service';
import type { Cluster, Instance } from './cluster.ts';
import type { VisitorAnswer } from './history.ts';

/** How long a visitor waits for an answer, in ms. */
const TIMEOUT_MS = 10_000;

/** The mean time between two visitors of an instance, in ms. */
const RATE_MS = 100;

/** Sends visitors to all instances until `signal` aborts. Resolves to the answers that the visitors received. */
export async function sendVisitors(cluster: Cluster, seed: number, signal: AbortSignal): Promise<VisitorAnswer[]> {
  const answers: VisitorAnswer[] = [];
  await Promise.all(
    cluster.instances.map(async (instance, index) => {
      const random = randomFrom(seed * 31 + index);
      const pick = zipfPicker(cluster.upstream.ids, 0.6, random);
      const there = new Set<Promise<void>>();
      while (!signal.aborted) {
        const visit = visited(instance, index, pick()).then((answer) => void (answer && answers.push(answer)));
        there.add(visit);
        void visit.finally(() => there.delete(visit));
        await pause(random.exponential(RATE_MS));
      }
      await Promise.all(there);
    }),
  );
  return answers;
}

/**
 * Sends one visitor's request. Resolves to undefined if the process couldn't answer because it ended in the meantime.
 */
async function visited(instance: Instance, index: number, sourceId: string): Promise<VisitorAnswer | undefined> {
  if (instance.endedFor > 0) return undefined;
  const { life } = instance;
  const seen = { instance: index, life, sourceId, askedAtNs: nowNs() };
  const hadEnded = watchFor(instance);
  try {
    const answer = await fetch(`${instance.bff.url}/v1/sources/${sourceId}/pulse`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    const leaked = (text + JSON.stringify([...answer.headers])).includes(SERVICE_KEY);
    if (hadEnded()) return undefined;
    return { ...seen, answeredAtNs: nowNs(), status: answer.status, leaked, ...factsOf(answer, text) };
  } catch {
    return hadEnded() ? undefined : { ...seen, answeredAtNs: nowNs(), status: undefined, leaked: false };
  }
}

/**
 * Starts to watch a process. The returned function says whether the process has ended, was frozen, or was replaced
 * since then.
 */
function watchFor(instance: Instance): () => boolean {
  const { life } = instance;
  let hadEnded = false;
  const look = setInterval(() => void (hadEnded ||= instance.endedFor > 0), 20);
  return () => {
    clearInterval(look);
    return hadEnded || instance.endedFor > 0 || instance.life !== life;
  };
}

function factsOf(answer: Response, text: string): Partial<VisitorAnswer> {
  if (answer.status !== 200) return {};
  const { meta, pulse } = JSON.parse(text) as { meta: { requestedAt: string }; pulse: { jobRunId: string } };
  return {
    ageSeconds: Number(answer.headers.get('age')),
    requestedAtMs: Date.parse(meta.requestedAt),
    seenAtMs: Date.now(),
    version: Number(pulse.jobRunId.split('_').at(-1)),
  };
}

/** Picks items. The probability of the r-th item is proportional to `1 / r^skew`. */
function zipfPicker<Item>(items: readonly Item[], skew: number, random: Random): () => Item {
  let total = 0;
  const upTo = items.map((_, index) => (total += 1 / (index + 1) ** skew));
  return () => {
    const drawn = random.even() * total;
    return items[upTo.findIndex((edge) => drawn < edge)]!;
  };
}
