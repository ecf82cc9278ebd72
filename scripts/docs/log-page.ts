import { messageOf } from '../../packages/bff/src/features/alerts/webhook.ts';
import { statusFields } from './api-page.ts';
import { code, markdownTable } from './markdown-table.ts';
import { metricsSection } from './metrics-page.ts';

/** The fields of log lines, grouped by the lines that have them. */
const LOG_FIELDS: readonly (readonly [name: string, type: string, meaning: string])[] = [
  ['level', 'number', 'The severity: 10 is trace, 20 debug, 30 info, 40 warn, 50 error, and 60 fatal'],
  ['time', 'string', 'ISO 8601, UTC'],
  ['msg', 'string', 'The message. [Troubleshoot the server](../operate/troubleshoot-server.md) explains each message'],
  ['code', 'string', 'The [code](../operate/troubleshoot.md#errors) of an error'],
  ['status', 'number', 'The HTTP status'],
  [
    'count',
    'number',
    'The number of errors with this code since the last line for this code. For each code, the log contains at most one line every 10 seconds',
  ],
  ['ms', 'number', 'The duration of the response in milliseconds, for a line about one request'],
  ['network', 'string', 'The network of the client, such as `192.0.2.0/24`. The log never contains a full IP address'],
  ['origin', 'string', 'The origin of the page. The log names a rejected origin at most once a minute'],
  ['detail', 'string', 'The reason for the error'],
  ['id', 'string', 'The `X-Request-Id` of the request'],
  ['method', 'string', 'The method of the request'],
  ['route', 'string', 'The route of the request, such as `/v1/sources/:sourceId/pulse`, or `none` if no route matched'],
  [
    'path',
    'string',
    'The path of the request, if no route matched. It is cut to 100 characters, and never contains a query',
  ],
  ['cache', 'string', 'The result of the cache lookup, such as `hit`'],
  ['reason', 'string', 'Why a token was rejected. For each reason, the log contains at most one such line a minute'],
  ['expected', 'string', 'What was expected of the token'],
  ['found', 'string', 'What the token has instead. The log never contains a token'],
];

const LINE = {
  level: 40,
  time: '2026-11-23T09:00:00.000Z',
  code: 'origin_forbidden',
  origin: 'https://www.example.net',
  msg: 'https://www.example.net is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart',
};

/** Returns the page about the log, the status, alerts, and metrics. */
export async function logPage(): Promise<string> {
  const text = messageOf(
    [
      'The service rejects calls: it rejects the API key (401). Create a new key and set PULSE_API_KEY, or write it to the file set in PULSE_API_KEY_FILE.',
    ],
    'https://pulse.example.com',
  );
  return [
    '# Log, status, alerts, and metrics',
    '## Log',
    "The log is on standard output, with one JSON object per line. `LOG_LEVEL` sets the least severe level. A line contains only the fields that apply. It never contains a key, a token, a query, or a reader's full IP address.",
    markdownTable(
      ['field', 'type', 'meaning'],
      LOG_FIELDS.map(([name, type, meaning]) => [code(name), type, meaning]),
    ),
    'For example:',
    fencedJson(LINE),
    '## Status',
    '`GET /status` on the [admin port](../operate/configure.md#the-admin-port) returns one JSON object. Durations are in whole milliseconds. Times are in ISO 8601.',
    markdownTable(['field', 'type', 'meaning'], statusFields()),
    '## Alerts',
    'The BFF sends each alert to `PULSE_ALERT_URL` as a `POST` with one JSON object. [Monitor](../operate/monitor.md) lists the cases in which it does so. Names are cut to 80 characters. Mentions, links, and markup are removed from them.',
    markdownTable(
      ['field', 'type', 'meaning'],
      [
        [
          '`text`',
          'string',
          'The first line shows the URL of the BFF. Each line after that describes one problem. A message describes at most ten problems',
        ],
      ],
    ),
    fencedJson({ text }),
    await metricsSection(),
  ].join('\n\n');
}

function fencedJson(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
