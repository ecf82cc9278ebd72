// A process full of readers, told what to do by its parent.
import { Reader } from './reader.ts';
import type { Order, Said } from './readers.ts';

/** Connections that are opened at once: more would be refused by the system's queue. */
const OPENED_AT_ONCE = 100;

const runs = new Map<string, { changedAtMs: number; atMs: number[] }>();
const counts = { open: 0, refused: 0 };
let openedAtMs: number[] = [];
const readers: Reader[] = [];

const received = {
  opened: (atMs: number) => void (openedAtMs.push(atMs), (counts.open += 1)),
  refused: () => void (counts.refused += 1),
  pulse: (run: string, changedAtMs: number, atMs: number) => {
    const known = runs.get(run) ?? { changedAtMs, atMs: [] };
    runs.set(run, known);
    known.atMs.push(atMs);
  },
  ended: () => void (counts.open -= 1),
};

process.on('message', (order: Order) => void obey(order).then((said) => process.send?.(said)));
process.on('disconnect', () => process.exit(0));

async function obey(order: Order): Promise<Said> {
  if (order.kind === 'open') await openAll(order.urls, order.count);
  if (order.kind === 'leave') for (const reader of readers.splice(0)) reader.leave();
  const said = { ...counts, openedAtMs, runs: [...runs].map(([run, times]) => ({ run, ...times })) };
  if (order.kind === 'forget') forget();
  return said;
}

async function openAll(urls: readonly string[], count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    const reader = new Reader({ url: urls[at % urls.length] ?? '', address, received });
    readers.push(reader);
    reader.open();
    await until(() => readers.length - counts.open - counts.refused < OPENED_AT_ONCE);
  }
  await until(() => counts.open + counts.refused >= count);
}

function forget(): void {
  openedAtMs = [];
  counts.refused = 0;
  runs.clear();
}

async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await new Promise((resolve) => setTimeout(resolve, 5));
}
