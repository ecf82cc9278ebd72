import { descriptionOf } from '@pulse-card/bff/describe';
import { code, markdownTable } from './markdown-table.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Reply {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly responses?: Readonly<Record<string, Reply>>;
}

/** The table rows for the statuses and parameters that several routes have in common, keyed by their joined cells. */
interface Common {
  readonly statuses: ReadonlyMap<string, readonly string[]>;
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}

/** Returns the HTTP API page, generated from the OpenAPI description. */
export function httpPage(): string {
  const { paths = {}, components, tags = [] } = descriptionOf({ access: 'token' });
  const operations = Object.entries(paths as Record<string, { readonly get: Operation }>);
  const schemas = Object.entries((components?.schemas ?? {}) as Record<string, Schema>);
  const gets = operations.map(([, { get }]) => get);
  const common: Common = {
    statuses: rowsOfAtLeast(
      5,
      gets.map(({ responses }) => otherStatusRows(responses)),
    ),
    parameters: rowsOfAtLeast(
      2,
      gets.map(({ parameters }) => parameterRows(parameters)),
    ),
  };
  return [
    '# HTTP API',
    'All routes of the BFF accept `GET`, `HEAD`, and `OPTIONS`. The BFF ignores query parameters that this page doesn’t list. `sourceId` in a path is the ID of a source. Errors are JSON with a [code](../operate/troubleshoot.md#errors), or HTML for the routes of pages. A running BFF serves this description as OpenAPI 3.1 at `/v1/openapi.yaml`. [Proxies and caches](../operate/proxy.md#what-the-headers-say) explains the caching headers.',
    '## Common statuses',
    'Each route below lists which of these it has. A 401 occurs only with `PULSE_ACCESS=token`, or if the `authorize` function of a mounted BFF returns `null`.',
    markdownTable(['status', 'meaning'], [...common.statuses.values()]).trimEnd(),
    '## Parameters of frames and fragments',
    'A color is 3, 6, or 8 hex digits, or a light value and a dark value separated by a dot.',
    markdownTable(['parameter', 'type', 'meaning'], [...common.parameters.values()].map(withoutColor)).trimEnd(),
    ...tags.flatMap(({ name }) => [
      `## ${name}`,
      ...operations
        .filter(([, { get }]) => get.tags?.includes(name))
        .map(([path, { get }]) => section(path, get, common)),
    ]),
    ADMIN_PORT,
    '## Headers',
    'Responses with data have these headers:',
    headersTable(operations),
    '## Schemas',
    ...schemas.map(([name, schema]) => schemaSection(name, schema)),
  ].join('\n\n');
}

const ADMIN_PORT = [
  '## The admin port',
  '`PULSE_ADMIN_PORT` (4021) has routes for operators. See [the admin port](../operate/configure.md#the-admin-port).',
  markdownTable(
    ['path', 'content'],
    [
      ['`/`', 'the status page'],
      ['`/studio/`', 'the Studio for the sources of this BFF'],
      ['`/status`', 'the [status](log.md#status) as JSON'],
      ['`/metrics`', 'the [metrics](log.md#metrics) for Prometheus'],
    ],
  ),
].join('\n\n');

/** The rows that at least `min` routes have in common. */
function rowsOfAtLeast(min: number, tables: readonly (readonly (readonly string[])[])[]): Common['statuses'] {
  const rows = tables.flat().map((row) => [row.join('|'), row] as const);
  const counts = Map.groupBy(rows, ([cells]) => cells);
  return new Map(rows.filter(([cells]) => (counts.get(cells)?.length ?? 0) >= min));
}

/** The row, with colors described as in the sentence above the table. */
function withoutColor(row: readonly string[]): readonly string[] {
  return row.map((cell) => (cell.startsWith('3, 6, or 8 hex digits') ? 'a color' : cell));
}

function statusRows(responses: Operation['responses'] = {}): string[][] {
  return Object.entries(responses).map(([status, { description, content = {} }]) => [
    code(status),
    description,
    Object.entries(content)
      .map(([type, { schema }]) => `${code(type)}${schema?.$ref ? ` ${schemaLink(schema.$ref)}` : ''}`)
      .join(' '),
  ]);
}

/** The rows without bodies for all statuses except 200 and 404, whose meaning differs for each route. */
function otherStatusRows(responses: Operation['responses']): string[][] {
  return statusRows(responses)
    .filter(([status]) => status !== '`200`' && status !== '`404`')
    .map((row) => row.slice(0, 2));
}

/** The rows for the query parameters. */
function parameterRows(parameters: readonly Parameter[] = []): string[][] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema = {}, description = schema.description ?? '', required }) => [
      code(name),
      typeText(schema),
      `${description}${required ? ' (required)' : ''}`,
    ]);
}

function section(path: string, { summary = '', description, parameters, responses }: Operation, common: Common) {
  const statuses = statusRows(responses);
  const isCommon = (row: readonly string[]) => common.statuses.has(row.slice(0, 2).join('|'));
  const shared = statuses.filter(isCommon).map(([status]) => status);
  const rows = parameterRows(parameters);
  const isShared = (row: readonly string[]) => common.parameters.has(row.join('|'));
  return [
    `### GET ${path}`,
    [summary, description].filter((text) => text !== undefined && text !== '').join('. '),
    tableOf(
      ['parameter', 'type', 'meaning'],
      rows.filter((row) => !isShared(row)),
    ),
    rows.some(isShared)
      ? 'In addition: the [parameters of frames and fragments](#parameters-of-frames-and-fragments).'
      : '',
    tableOf(
      ['status', 'meaning', 'body'],
      statuses.filter((row) => !isCommon(row)),
    ),
    shared.length > 0 ? `[Common statuses](#common-statuses): ${shared.join(', ')}` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : markdownTable(heads, rows).trimEnd();
}

function headersTable(operations: readonly (readonly [string, { readonly get: Operation }])[]): string {
  const headers = new Map<string, string>();
  for (const [, { get }] of operations)
    for (const reply of Object.values(get.responses ?? {}))
      for (const [name, { description = '' }] of Object.entries(reply.headers ?? {}))
        if (!headers.has(name)) headers.set(name, description);
  return markdownTable(
    ['header', 'meaning'],
    Array.from(headers, ([name, meaning]) => [code(name), meaning]),
  ).trimEnd();
}

function schemaSection(name: string, schema: Schema): string {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([key, property]) => [
    code(required.has(key) ? key : `${key}?`),
    typeText(property),
    property.description,
  ]);
  const choices = schema.anyOf ?? schema.oneOf;
  return [
    `### ${name}`,
    schema.description ?? '',
    rows.length > 0 ? markdownTable(['field', 'type', 'meaning'], rows).trimEnd() : '',
    choices ? choices.map((choice) => `- ${choiceText(choice)}`).join('\n') : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function choiceText(choice: Schema): string {
  if (choice.properties === undefined) return typeText(choice);
  return `an object with ${Object.entries(choice.properties)
    .map(([key, property]) => `${code(key)}: ${typeText(property)}`)
    .join(', ')}`;
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return schemaLink(schema.$ref);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeText).join(' or ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`;
  const types = [schema.type ?? 'any'].flat();
  return types.join(' or ');
}

function schemaLink(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return `[${name}](#${name.toLowerCase()})`;
}
