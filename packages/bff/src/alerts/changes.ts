import type { Trouble } from './troubles.ts';

/** Lines of a message; what does not fit is counted. */
const MAX_LINES = 10;

/** A trouble that was told and is not over. */
export interface ToldTrouble {
  readonly stage: string;
  readonly over: string;
}

/** What was told, by topic. */
export type Told = Readonly<Record<string, ToldTrouble>>;

/** What is new since it was last told. */
export interface Changes {
  readonly begun: readonly Trouble[];
  readonly over: readonly ToldTrouble[];
}

/** What has changed since it was told; undefined where nothing has. */
export function changesSince(told: Told, troubles: readonly Trouble[]): Changes | undefined {
  const topics = new Set(troubles.map(({ topic }) => topic));
  const begun = troubles.filter(({ topic, stage }) => told[topic]?.stage !== stage);
  const over = Object.keys(told).flatMap((topic) => (topics.has(topic) ? [] : (told[topic] ?? [])));
  return begun.length === 0 && over.length === 0 ? undefined : { begun, over };
}

/** What is told once a message about `troubles` has arrived. */
export function toldOf(troubles: readonly Trouble[]): Told {
  return Object.fromEntries(troubles.map(({ topic, stage, over }) => [topic, { stage, over }]));
}

/** One message about all changes, for a chat. `origin` names the BFF. */
export function messageOf({ begun, over }: Changes, origin: string): string {
  const lines = [...begun.map(({ text }) => text), ...over.map(({ over: text }) => `Over: ${text}`)];
  const shown = lines.slice(0, MAX_LINES);
  const rest = lines.length - shown.length;
  const more = rest === 0 ? [] : [`And ${rest} more: see the status page.`];
  return [`Pulse Card at ${origin}`, ...[...shown, ...more].map((line) => `• ${line}`)].join('\n');
}
