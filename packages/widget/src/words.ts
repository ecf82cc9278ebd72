/** Every word that card and board themselves say, for one language. */
export interface Words {
  readonly read: string;
  readonly hide: string;
  readonly generated: string;
  readonly earlier: string;
  readonly late: string;
  readonly PENDING: string;
  readonly DRAFT: string;
  readonly ACTIVE: string;
  readonly DEGRADED: string;
  readonly BROKEN: string;
  readonly noChart: string;
  readonly noImage: string;
  readonly chart: string;
  readonly enlarge: string;
  readonly close: string;
  readonly retry: string;
  /** Said of a failure whose code or status is not among the following. */
  readonly failed: string;
  readonly pulse_not_found: string;
  readonly offline: string;
  readonly timeout: string;
  readonly invalid_answer: string;
  readonly 403: string;
  readonly 404: string;
  readonly 429: string;
  readonly provider: string;
  readonly connections: string;
  readonly dashboard: string;
  readonly noSources: string;
  readonly noList: string;
}

/** The words in English, which need no file. */
export const ENGLISH: Words = {
  read: 'Read the analysis',
  hide: 'Hide the analysis',
  generated: 'AI-generated commentary',
  earlier: 'Earlier version',
  late: 'not updating',
  PENDING: 'Not authorized yet',
  DRAFT: 'Not ready to deliver',
  ACTIVE: 'Delivering on schedule',
  DEGRADED: 'Needs attention',
  BROKEN: 'Needs reconnection',
  noChart: 'No chart this time.',
  noImage: 'This chart can’t be loaded.',
  chart: 'Chart',
  enlarge: 'Enlarge the chart',
  close: 'Close',
  retry: 'Try again',
  failed: 'This chart can’t be shown right now.',
  pulse_not_found: 'No pulse yet.\nThe first one appears here after delivery.',
  offline: 'You’re offline. This chart can’t be loaded.',
  timeout: 'This chart is taking too long.',
  invalid_answer: 'This chart can’t be read right now.',
  403: 'This chart can’t be shown here.',
  404: 'This chart can’t be found.',
  429: 'Too many readers right now.',
  provider: 'Provider',
  connections: 'Connections:',
  dashboard: 'Open in the dashboard',
  noSources: 'No sources yet.',
  noList: 'The sources can’t be shown right now.',
};

/** What a reader is told of a failure. */
export function failureText(words: Words, { code, status }: { code: string; status: number }): string {
  return wordFor(words, code) ?? wordFor(words, { 400: 404, 401: 403 }[status] ?? status) ?? words.failed;
}

/** The word for `key`, undefined where there is none. */
export function wordFor(words: Words, key: string | number): string | undefined {
  return Object.hasOwn(words, key) ? (words as unknown as Readonly<Record<string, string>>)[key] : undefined;
}
