import { messageOf } from '../../packages/bff/src/features/alerts/webhook.ts';
import { statusFields } from './api-page.ts';
import { code, markdownTable } from './markdown-table.ts';

/** The fields of log lines, grouped by the lines that have them. */
const LOG_FIELDS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['level', 'number', 'Severity: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal'],
  ['time', 'string', 'ISO 8601, UTC'],
  ['msg', 'string', 'The message. [Troubleshoot the server](../operate/troubleshoot-server.md) explains each one'],
  ['code', 'string', 'The [code](errors.md) of an error'],
  ['status', 'number', 'The HTTP status'],
  [
    'count',
    'number',
    'Errors of this code since the last line about them. A line is written at most every 10 seconds for each code',
  ],
  ['ms', 'number', 'The longest duration of these responses. At `debug`, the duration of the response'],
  ['networks', 'list of strings', 'Up to five networks of clients, such as `192.0.2.0/24`. Never a whole address'],
  ['origins', 'list of strings', 'Up to five origins of pages, each at most once a minute'],
  ['details', 'list of strings', 'Up to five reasons'],
  ['id', 'string', 'The `X-Request-Id` of the first of these requests'],
  ['method', 'string', 'Its method'],
  ['route', 'string', 'Its route, such as `/v1/sources/:sourceId/pulse`; `none` if no route matched'],
  ['path', 'string', 'Its path, only if no route matched, cut to 100 characters. Never a query'],
  ['cache', 'string', 'At `debug`: what the cache did, such as `hit`'],
  ['cacheStatus', 'string', 'At `debug`: `Cache-Status`, with the reason for a call to the service'],
  ['age', 'number', 'At `debug`: age of the answer, in seconds'],
  ['detail', 'string', 'At `debug`: the reason for the error'],
  ['client', 'string', "At `debug`: the client's network"],
];

const LINE = {
  level: 40,
  time: '2026-11-23T09:00:00.000Z',
  id: '0b6e7d0c-6f0a-4a55-9b1d-2f3f0f0c9a11',
  method: 'GET',
  route: '/v1/pulses',
  status: 403,
  code: 'origin_forbidden',
  ms: 0.41,
  count: 1,
  networks: ['192.0.2.0/24'],
  origins: ['https://www.example.net'],
  details: [],
  msg: 'https://www.example.net is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart',
};

/** The page of log, status, and alerts. */
export function logPage(): string {
  const text = messageOf(
    [
      'The service refuses the API key. Create a new key and set PULSE_API_KEY, or write it to the file of PULSE_API_KEY_FILE.',
    ],
    'https://pulse.example.com',
  );
  return [
    '# Log, status, and alerts',
    '## Log',
    'The log is on standard output, with one JSON object per line. `LOG_LEVEL` sets the least severe level. A line contains only the fields that apply. It never contains a key, a token, a query, or a whole address of a reader.',
    markdownTable(
      ['field', 'type', 'meaning'],
      LOG_FIELDS.map(([name, type, meaning]) => [code(name), type, meaning]),
    ),
    'For example:',
    fencedJson(LINE),
    '## Status',
    '`GET /status` on the [private port](../operate/configure.md#the-private-port). Durations are in whole milliseconds, times are ISO 8601.',
    markdownTable(['field', 'type', 'meaning'], statusFields()),
    '## Alerts',
    '`PULSE_ALERT_URL` receives a `POST` with one JSON object. [Monitor](../operate/monitor.md) says when. Names are cut to 80 characters, and mentions, links, and markup in them are removed.',
    markdownTable(
      ['field', 'type', 'meaning'],
      [['`text`', 'string', 'The first line names the BFF. Each problem is a line, ten at most']],
    ),
    fencedJson({ text }),
  ].join('\n\n');
}

function fencedJson(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
