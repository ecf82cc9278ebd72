import { messageOf } from '../../packages/bff/src/features/alerts/webhook.ts';
import { statusFields } from './api-page.ts';
import { code, markdownTable } from './markdown-table.ts';

/** The fields of log lines, grouped by the lines that have them. */
const LOG_FIELDS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['level', 'number', 'The severity: 10 is trace, 20 debug, 30 info, 40 warn, 50 error, and 60 fatal'],
  ['time', 'string', 'ISO 8601, UTC'],
  ['msg', 'string', 'The message. [Troubleshoot the server](../operate/troubleshoot-server.md) explains each message'],
  ['code', 'string', 'The [code](errors.md) of an error'],
  ['status', 'number', 'The HTTP status'],
  [
    'count',
    'number',
    'The number of errors with this code since the last line for this code. The log has at most one line in 10 seconds for each code',
  ],
  [
    'ms',
    'number',
    'The longest duration of these responses, in milliseconds. At `debug`, the duration of the response',
  ],
  [
    'networks',
    'list of strings',
    'Up to five networks of clients, such as `192.0.2.0/24`. The log never contains a full address',
  ],
  ['origins', 'list of strings', 'Up to five origins of pages. The log shows each origin at most once a minute'],
  ['details', 'list of strings', 'Up to five reasons for these errors'],
  ['id', 'string', 'The `X-Request-Id` of the first of these requests'],
  ['method', 'string', 'The method of this request'],
  [
    'route',
    'string',
    'The route of this request, such as `/v1/sources/:sourceId/pulse`, or `none` if no route matched',
  ],
  [
    'path',
    'string',
    'The path of this request, if no route matched. It is cut to 100 characters, and never contains a query',
  ],
  ['cache', 'string', 'At `debug`, the result of the cache lookup, such as `hit`'],
  [
    'cacheStatus',
    'string',
    'At `debug`, the value of `Cache-Status`, which contains the reason for a call to the service',
  ],
  ['age', 'number', 'At `debug`, the age of the response, in seconds'],
  ['detail', 'string', 'At `debug`, the reason for the error'],
  ['client', 'string', 'At `debug`, the network of the client'],
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

/** Returns the page about the log, the status, and alerts. */
export function logPage(): string {
  const text = messageOf(
    [
      'The service refuses the API key. Create a new key and set PULSE_API_KEY, or write it to the file set in PULSE_API_KEY_FILE.',
    ],
    'https://pulse.example.com',
  );
  return [
    '# Log, status, and alerts',
    '## Log',
    "The log is on standard output, with one JSON object per line. `LOG_LEVEL` sets the least severe level. A line contains only the fields that apply. It never contains a key, a token, a query, or a reader's full IP address.",
    markdownTable(
      ['field', 'type', 'meaning'],
      LOG_FIELDS.map(([name, type, meaning]) => [code(name), type, meaning]),
    ),
    'For example:',
    fencedJson(LINE),
    '## Status',
    '`GET /status` on the [private port](../operate/configure.md#the-private-port) returns one JSON object. Durations are in whole milliseconds. Times are in ISO 8601.',
    markdownTable(['field', 'type', 'meaning'], statusFields()),
    '## Alerts',
    'The BFF sends each alert to `PULSE_ALERT_URL` as a `POST` with one JSON object. [Monitor](../operate/monitor.md) lists the cases in which it does so. Names are cut to 80 characters. Mentions, links, and markup are removed from them.',
    markdownTable(
      ['field', 'type', 'meaning'],
      [
        [
          '`text`',
          'string',
          'The first line shows the BFF’s address. Each line after that describes one problem. A message describes at most ten problems',
        ],
      ],
    ),
    fencedJson({ text }),
  ].join('\n\n');
}

function fencedJson(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
