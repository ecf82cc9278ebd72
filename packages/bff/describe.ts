import { CHART_THEMES, MAX_RADIUS_EM } from './src/features/embed/frame-theme.ts';
import {
  BATCH_SIZE,
  codedErrorBodySchema,
  idSchema,
  pulseAnswerSchema,
  pulsesAnswerSchema,
  runsAnswerSchema,
  RATE_LIMIT_HEADERS,
  sourcesAnswerSchema,
} from '@pulse-card/contract';
import { VARIANTS } from '@pulse-card/widget/server';
import { FRAME_COLORS, FRAME_FONTS } from '@pulse-card/widget/snippet';
import { stringify } from 'yaml';
import { z } from 'zod';
import { createDocument, type oas31, type ZodOpenApiOperationObject } from 'zod-openapi';
import { EXAMPLE_URL } from './src/features/files/files.ts';
import type { Config } from './src/config.ts';

const INTEGER = { type: 'integer', minimum: 0 } as const;

/** The settings that affect the description. */
export type Described = Pick<Config, 'access'>;

/** The BFF's OpenAPI 3.1 description, generated from the contract's schemas. */
export function descriptionOf({ access }: Described): oas31.OpenAPIObject {
  const guarded = withReader({ ...DATA, '/v1/sources/{sourceId}/image': CHART, ...PAGES });
  const operations = { ...(access === 'token' ? withToken(guarded) : guarded), ...FILES, ...PROBES };
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Pulse Card BFF',
      version: '1.0.0',
      description:
        'Cached pulses for readers. Readers don’t need an API key. Each response says how old it is and whether it is stale. Pages on any origin can read errors.',
    },
    servers: [{ url: EXAMPLE_URL }],
    tags: [{ name: 'Pulses' }, { name: 'Sources' }, { name: 'Pages' }, { name: 'Files' }, { name: 'Probes' }],
    ...(access === 'token' && { components: { securitySchemes: { token: TOKEN } } }),
    paths: Object.fromEntries(Object.entries(operations).map(([path, get]) => [path, { get }])),
  });
  // The library's types describe OpenAPI 3.2.
  return document as oas31.OpenAPIObject;
}

/** The same description as YAML, in the form that the BFF reads. */
export function descriptionYaml(described: Described): string {
  return stringify(descriptionOf(described), { aliasDuplicateObjects: false, lineWidth: 120, version: '1.1' });
}

const TOKEN = {
  type: 'http' as const,
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'A JWT with the type pulse-embed+jwt, signed with EdDSA or HS256. It lists the allowed sources, and optionally the origins of the pages that may use it.',
};

/** The operations by path. Each is a GET. */
type Operations = Readonly<Record<string, ZodOpenApiOperationObject>>;

/** Adds reader-specific headers to every response from these operations. */
function withReader(operations: Operations): Operations {
  const entries = Object.entries(operations).map(([path, operation]) => {
    const responses = Object.entries(operation.responses as Readonly<Record<string, { headers?: object }>>).map(
      ([status, each]) => [status, { ...each, headers: { ...each.headers, ...READER, ...RATE } }],
    );
    return [path, { ...operation, responses: Object.fromEntries(responses) }];
  });
  return Object.fromEntries(entries) as Operations;
}

/** If access requires tokens, so does each operation. */
function withToken(operations: Operations): Operations {
  const entries = Object.entries(operations).map(([path, operation]) => {
    const unauthenticated = { '401': UNAUTHENTICATED };
    const refusals = /^\/embed\/|\/fragment$/.test(path) ? asPages(unauthenticated) : unauthenticated;
    const responses = { ...operation.responses, ...refusals };
    return [path, { ...operation, security: [{ token: [] }], responses }];
  });
  return Object.fromEntries(entries) as Operations;
}

const SOURCE_ID = z.object({ sourceId: idSchema.meta({ description: 'The ID of a source', example: 'src_1' }) });

const IDS = z.string().meta({ description: `1 to ${BATCH_SIZE} IDs, comma-separated`, example: 'src_1,src_2' });

const UNCHANGED = { description: 'The reader already has this response (If-None-Match)' };

/** A mounted router adds this header to every data response and to errors. */
const READER = {
  'Pulse-Reader': {
    ...header(
      'The name of the signed-in reader, percent-encoded. Sent only if a mounted router’s `authorize` returned a reader',
      {
        type: 'string',
      },
    ),
    required: false,
  },
};

/** The headers of responses that shared caches must not store. */
const RATE = Object.fromEntries(
  Object.entries({
    [RATE_LIMIT_HEADERS.limit]: 'The number of requests that one client can make per minute',
    [RATE_LIMIT_HEADERS.remaining]: 'The number of requests left in this minute',
    [RATE_LIMIT_HEADERS.reset]: 'When this minute ends, in seconds since the Unix epoch',
  }).map(([name, description]) => [
    name,
    {
      ...header(`${description}. Sent only with 429 and with responses that shared caches must not store`, INTEGER),
      required: false,
    },
  ]),
);

const UNANSWERED = {
  '400': refusal('The request is malformed'),
  '403': refusal('The page’s origin is not allowed, or the token does not allow this request'),
  '405': refusal('Only GET, HEAD, and OPTIONS are supported'),
  '429': retriable('One client sent too many requests'),
  '500': refusal('This server had an internal error'),
  '502': retriable('The service’s response is not a valid pulse'),
  '503': retriable('The service is down, is busy, or rejects the key, and there’s no stored pulse that can be served'),
};

const UNAUTHENTICATED = {
  ...refusal('The token is missing or invalid'),
  headers: { 'WWW-Authenticate': header('The required credentials (RFC 6750)', { type: 'string' }) },
};

const PAGE = { 'text/html': { schema: z.string() } };

/** The same error responses as HTML pages that explain the error to readers. */
function asPages<Refusal extends object>(refusals: Readonly<Record<string, Refusal>>) {
  return Object.fromEntries(Object.entries(refusals).map(([status, each]) => [status, { ...each, content: PAGE }]));
}

const DATA: Operations = {
  '/v1/sources': {
    operationId: 'listSources',
    summary: 'List the sources',
    tags: ['Sources'],
    requestParams: {
      query: z.object({ provider: z.string().optional().meta({ description: 'Only sources from this provider' }) }),
    },
    responses: { '200': answer('The sources', sourcesAnswerSchema), '304': UNCHANGED, ...UNANSWERED },
  },
  '/v1/sources/{sourceId}/pulse': {
    operationId: 'getPulse',
    summary: 'Get the latest pulse of a source',
    tags: ['Pulses'],
    requestParams: { path: SOURCE_ID },
    responses: {
      '200': answer('The latest pulse', pulseAnswerSchema),
      '304': UNCHANGED,
      '404': refusal('The source is unknown, or has never had a successful run'),
      ...UNANSWERED,
    },
  },
  '/v1/sources/{sourceId}/runs': {
    operationId: 'getRuns',
    summary: 'List a source’s runs that this server has seen, newest first',
    description:
      'Available only with `PULSE_HISTORY`. This operation doesn’t call the service. Runs that no reader requested are missing.',
    tags: ['Pulses'],
    requestParams: { path: SOURCE_ID },
    responses: {
      '200': answer('The runs', runsAnswerSchema),
      '304': UNCHANGED,
      '404': refusal('The source is unknown or has never had a successful run, or `PULSE_HISTORY` is not set'),
      ...UNANSWERED,
    },
  },
  '/v1/pulses': {
    operationId: 'getPulses',
    summary: 'Get the latest pulses of several sources, such as all the sources on a page',
    description: 'Returns one result per ID, in request order. The status is 200 even if some IDs fail.',
    tags: ['Pulses'],
    requestParams: { query: z.object({ ids: IDS }) },
    responses: { '200': answer('The pulses', pulsesAnswerSchema), '304': UNCHANGED, ...UNANSWERED },
  },
};

/** The chart route. */
const CHART: ZodOpenApiOperationObject = {
  operationId: 'getImage',
  summary: 'Get the chart of a source’s latest pulse, at a URL that never changes',
  tags: ['Pulses'],
  requestParams: {
    path: SOURCE_ID,
    query: z.object({ run: idSchema.optional().meta({ description: 'The run that the chart belongs to' }) }),
  },
  responses: {
    '200': { description: 'The chart', content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
    '304': UNCHANGED,
    '404': refusal('The pulse or the requested run has no chart'),
    ...UNANSWERED,
  },
};

/** The response to an oEmbed consumer. */
const oembedSchema = z.strictObject({
  version: z.literal('1.0'),
  type: z.literal('rich'),
  title: z.string(),
  provider_name: z.string(),
  provider_url: z.string(),
  cache_age: z.int().positive(),
  html: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
});

/** The theme parameters. Invalid values are ignored. */
const LOOK = {
  ...Object.fromEntries(
    FRAME_COLORS.map((name) => [
      name,
      z
        .string()
        .optional()
        .meta({ description: '3, 6, or 8 hex digits, or a light value and a dark value separated by a dot' }),
    ]),
  ),
  radius: z.number().min(0).max(MAX_RADIUS_EM).optional().meta({ description: 'Corners, in em' }),
  font: z.enum(Object.keys(FRAME_FONTS)).optional(),
  'chart-theme': z.enum(CHART_THEMES).optional(),
};

/** The options for frame pages and fragments. */
const CARD_OPTIONS = {
  variant: z.enum(VARIANTS).optional(),
  theme: z.enum(['auto', 'light', 'dark']).optional(),
  lang: z.string().optional().meta({ description: 'A language that the card supports. Other languages are ignored' }),
  ...LOOK,
};

const ERROR_PAGES = asPages({
  '404': refusal('The source is unknown, or has never had a successful run'),
  ...UNANSWERED,
});

/** Frame pages, fragments, and oEmbed. */
const PAGES: Operations = {
  '/v1/sources/{sourceId}/fragment': {
    operationId: 'getFragment',
    summary: 'Get the card as HTML with declarative shadow DOM that a server can include in a page',
    tags: ['Pages'],
    requestParams: { path: SOURCE_ID, query: z.object(CARD_OPTIONS) },
    responses: { '200': { description: 'The card', content: PAGE }, '304': UNCHANGED, ...ERROR_PAGES },
  },
  '/embed/{sourceId}': {
    operationId: 'getPage',
    summary: 'Get a page to embed in an iframe. It shows a source’s latest pulse without a script',
    tags: ['Pages'],
    requestParams: {
      path: SOURCE_ID,
      query: z.object({
        ...CARD_OPTIONS,
        run: idSchema
          .optional()
          .meta({ description: 'An earlier run to show, if this server stores it (`PULSE_HISTORY`)' }),
      }),
    },
    responses: { '200': { description: 'The page', content: PAGE }, '304': UNCHANGED, ...ERROR_PAGES },
  },
  '/oembed': {
    operationId: 'getOembed',
    summary: 'Get the embed code for a frame’s page (oEmbed 1.0, rich)',
    tags: ['Pages'],
    requestParams: {
      query: z.object({
        url: z.string().meta({ description: 'The URL of a page on this server' }),
        maxwidth: z.int().positive().optional(),
        maxheight: z.int().positive().optional(),
        format: z.literal('json').optional(),
      }),
    },
    responses: {
      '200': { description: 'The frame', content: { 'application/json': { schema: oembedSchema } } },
      '304': UNCHANGED,
      '404': refusal('No page on this server has this URL, the source is unknown, or the source has no pulse'),
      '501': refusal('The requested format is not JSON'),
      ...UNANSWERED,
    },
  },
};

const FILES: Operations = {
  '/v1/openapi.yaml': counted(file('getDescription', 'Get this description', 'application/yaml')),
  '/pulse-card.js': file('getScript', "Get the card's script", 'text/javascript'),
  '/pulse-card-{hash}.js': named(
    'hash',
    file('getHashedScript', "Get a specific version of the card's script", 'text/javascript'),
  ),
  '/pulse-card-after-paint-{hash}.js': named(
    'hash',
    file('getAfterPaint', 'Get the script that loads once the first card is shown or has failed', 'text/javascript'),
  ),
  '/pulse-card-extras-{hash}.js': named(
    'hash',
    file('getExtras', 'Get the script for the enlarged view, the actions, and the earlier findings', 'text/javascript'),
  ),
  '/pulse-board.js': file('getBoardScript', 'Get the script for cards and boards', 'text/javascript'),
  '/pulse-board-{hash}.js': named(
    'hash',
    file('getHashedBoardScript', 'Get a specific version of the script for cards and boards', 'text/javascript'),
  ),
  '/pulse-card-{hash}.css': named('hash', file('getStyles', 'Get the style sheet for rendered cards', 'text/css')),
  '/pulse-card-lang/{file}': named(
    'file',
    file('getLanguage', 'Get the translation for a language', 'application/json'),
  ),
  '/pulse-frame.js': file('getFrameScript', 'Get the script for pages that contain frames', 'text/javascript'),
  '/pulse-frame-page.js': file('getPageScript', 'Get the script for pages shown in frames', 'text/javascript'),
  '/pulse-icon.svg': file('getIcon', 'Get the icon for pages shown in frames', 'image/svg+xml'),
  '/THIRD-PARTY-NOTICES.txt': file('getNotices', 'Get the licenses of the bundled packages', 'text/plain'),
};

const PROBES: Operations = {
  '/healthz': {
    operationId: 'getHealth',
    summary: 'Report whether the process is alive',
    tags: ['Probes'],
    responses: { '200': statusAnswer('ok') },
  },
  '/readyz': {
    operationId: 'getReadiness',
    summary: 'Report whether this instance should get traffic',
    tags: ['Probes'],
    responses: { '200': statusAnswer('ready'), '503': retriable('The instance is not ready. The response says why') },
  },
};

function answer(description: string, schema: z.ZodType) {
  return {
    description,
    headers: {
      ETag: header('The entity tag', { type: 'string' }),
      Age: header('The age of the response, in seconds', { type: 'integer', minimum: 0 }),
      'Cache-Control': header(
        'How long caches may store the response. `private` if only browsers may store it, because of a token or `PULSE_CACHE`',
        { type: 'string' },
      ),
      'CDN-Cache-Control': header('How long shared caches may store the response (RFC 9213)', { type: 'string' }),
      'Cache-Status': header('How the cache handled this response (RFC 9211)', { type: 'string' }),
    },
    content: { 'application/json': { schema } },
  };
}

function refusal(description: string) {
  return { description, content: { 'application/json': { schema: codedErrorBodySchema } } };
}

function retriable(description: string) {
  const retryAfter = header('The number of seconds to wait before a retry', {
    type: 'integer',
    minimum: 1,
    maximum: 300,
  });
  return { ...refusal(description), headers: { 'Retry-After': retryAfter } };
}

function header(description: string, schema: { type: 'string' | 'integer'; minimum?: number; maximum?: number }) {
  return { description, required: true, schema };
}

function file(operationId: string, summary: string, type: string): ZodOpenApiOperationObject {
  const responses = {
    '200': { description: 'The file', content: { [type]: { schema: z.string() } } },
    '304': UNCHANGED,
  };
  return { operationId, summary, tags: ['Files'], responses };
}

/** A file whose path contains a parameter. Requests for missing files count toward the per-client limit. */
function named(parameter: string, get: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  const responses = { ...get.responses, '404': refusal('There is no such file') };
  return counted({ ...get, requestParams: { path: z.object({ [parameter]: z.string() }) }, responses });
}

/** Requests for this file count toward the per-client limit. */
function counted(get: ZodOpenApiOperationObject): ZodOpenApiOperationObject {
  return { ...get, responses: { ...get.responses, '429': UNANSWERED['429'] } };
}

function statusAnswer(status: string) {
  const schema = z.strictObject({ status: z.literal(status) });
  return { description: 'Yes', content: { 'application/json': { schema } } };
}
