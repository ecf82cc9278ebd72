import type { Incident } from './incidents.ts';

/** Lines of a message; what does not fit is counted. */
const MAX_LINES = 10;

/** An incident that was sent and is not over. */
export interface SentIncident {
  readonly stage: string;
  readonly over: string;
}

/** What was sent, by topic. */
export type SentIncidents = Readonly<Record<string, SentIncident>>;

/** What is new since it was last sent. */
export interface Changes {
  readonly begun: readonly Incident[];
  readonly over: readonly SentIncident[];
}

/** What has changed since it was sent; undefined where nothing has. */
export function changesSince(sent: SentIncidents, incidents: readonly Incident[]): Changes | undefined {
  const topics = new Set(incidents.map(({ topic }) => topic));
  const begun = incidents.filter(({ topic, stage }) => sent[topic]?.stage !== stage);
  const over = Object.keys(sent).flatMap((topic) => (topics.has(topic) ? [] : (sent[topic] ?? [])));
  return begun.length === 0 && over.length === 0 ? undefined : { begun, over };
}

/** What is sent once a message about `incidents` has arrived. */
export function sentOf(incidents: readonly Incident[]): SentIncidents {
  return Object.fromEntries(incidents.map(({ topic, stage, over }) => [topic, { stage, over }]));
}

/** One message about all changes, for a chat. `origin` names the BFF. */
export function messageOf({ begun, over }: Changes, origin: string): string {
  const lines = [...begun.map(({ text }) => text), ...over.map(({ over: text }) => `Over: ${text}`)];
  const displayed = lines.slice(0, MAX_LINES);
  const rest = lines.length - displayed.length;
  const more = rest === 0 ? [] : [`And ${rest} more: see the status page.`];
  return [`Pulse Card at ${origin}`, ...[...displayed, ...more].map((line) => `• ${line}`)].join('\n');
}
