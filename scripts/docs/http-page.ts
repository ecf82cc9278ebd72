import { descriptionOf } from '../../packages/bff/describe.ts';
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

/** Returns the HTTP API page, generated from the OpenAPI description. */
export function httpPage(): string {
  const { paths = {}, components, tags = [] } = descriptionOf({ access: 'token' });
  const operations = Object.entries(paths as Record<string, { readonly get: Operation }>);
  const schemas = Object.entries((components?.schemas ?? {}) as Record<string, Schema>);
  return [
    '# HTTP API',
    'All routes of the BFF accept `GET`, `HEAD`, and `OPTIONS`. The BFF ignores query parameters that this page doesn’t list. The BFF responds with 401 only if it runs with `PULSE_ACCESS=token`. Errors are JSON with a [code](errors.md). A running BFF serves this description as OpenAPI 3.1 at `/v1/openapi.yaml`. [Proxies and caches](../operate/proxy.md#what-the-headers-say) explains the caching headers.',
    ...tags.flatMap(({ name }) => [
      `## ${name}`,
      ...operations.filter(([, { get }]) => get.tags?.includes(name)).map(([path, { get }]) => section(path, get)),
    ]),
    PRIVATE_PORT,
    '## Headers',
    'Responses with data have these headers:',
    headersTable(operations),
    '## Schemas',
    ...schemas.map(([name, schema]) => schemaSection(name, schema)),
  ].join('\n\n');
}

const PRIVATE_PORT = [
  '## The admin port',
  '`PULSE_ADMIN_PORT` (4021) has routes for operators. See [the admin port](../operate/configure.md#the-admin-port).',
  markdownTable(
    ['path', 'content'],
    [
      ['`/`', 'the status page'],
      ['`/studio/`', 'the Studio for the sources of this BFF'],
      ['`/status`', 'the [status](log.md#status) as JSON'],
      ['`/metrics`', 'the [metrics](metrics.md) for Prometheus'],
    ],
  ),
].join('\n\n');

function section(path: string, { summary = '', description, parameters = [], responses = {} }: Operation): string {
  const replies = Object.entries(responses).map(([status, { description: words, content = {} }]) => [
    code(status),
    words,
    Object.entries(content)
      .map(([type, { schema }]) => `${code(type)}${schema?.$ref ? ` ${schemaLink(schema.$ref)}` : ''}`)
      .join(' '),
  ]);
  const rows = parameters.map((parameter) => [
    code(parameter.name),
    parameter.in,
    typeText(parameter.schema ?? {}),
    `${parameter.description ?? parameter.schema?.description ?? ''}${parameter.required && parameter.in !== 'path' ? ' (required)' : ''}`,
  ]);
  return [
    `### GET ${path}`,
    [summary, description].filter((text) => text !== undefined && text !== '').join('. '),
    rows.length > 0 ? markdownTable(['parameter', 'in', 'type', 'meaning'], rows).trimEnd() : '',
    markdownTable(['status', 'meaning', 'body'], replies).trimEnd(),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
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
