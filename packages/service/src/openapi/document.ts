import {
  errorBodySchema,
  KEY_HEADER,
  pulseBodySchema,
  RATE_LIMIT_HEADERS,
  idSchema,
  sourcesBodySchema,
} from '@pulse-card/contract';
import { stringify } from 'yaml';
import { z } from 'zod';
import { createDocument, type oas31 } from 'zod-openapi';
import { CHALLENGE } from '../http/errors.ts';

/** The API's URL if the operator doesn't set one. */
const DEFAULT_PUBLIC_URL = 'http://localhost:4010';

const rateLimitHeaders = {
  [RATE_LIMIT_HEADERS.limit]: header('Maximum requests per window', 60),
  [RATE_LIMIT_HEADERS.remaining]: header('Requests left in the current window', 59),
  [RATE_LIMIT_HEADERS.reset]: header('Unix timestamp in seconds at which the window resets', 1_778_230_872),
};

/** Responses have no entity tag, so only `*` matches them (RFC 9110, 13.1.2). */
const UNCHANGED = { description: 'The request has `If-None-Match: *`', headers: rateLimitHeaders };

const REFUSED = {
  '401': {
    ...refusal('The key is missing, invalid, or expired'),
    headers: {
      ...rateLimitHeaders,
      'WWW-Authenticate': {
        description: 'The header that must carry the key',
        required: true,
        schema: { type: 'string' as const },
        example: CHALLENGE,
      },
    },
  },
  '403': refusal('The key works but lacks the required scope'),
  '429': {
    ...refusal('More than 60 calls within the last minute; back off and retry'),
    headers: { ...rateLimitHeaders, 'Retry-After': header('Seconds to wait before the next call', 60) },
  },
  '500': refusal('Server error; retry with backoff'),
};

/** The OpenAPI 3.1 description of the service at `publicUrl`, generated from the contract's schemas. */
export function openapiDocument(publicUrl: string = DEFAULT_PUBLIC_URL): oas31.OpenAPIObject {
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Sources and pulses',
      version: '1.0.0',
      description:
        'Read-only: lists an account’s data sources and returns each source’s latest pulse, a rendered chart with AI commentary.',
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Sources' }, { name: 'Pulses' }, { name: 'Description' }],
    paths: { '/v1/sources': sourcesPath, '/v1/sources/{sourceId}/pulse': pulsePath, '/v1/openapi.yaml': openapiPath },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: KEY_HEADER,
          description:
            'A key for exactly one account. Scopes: `sources:read` and `pulses:read`, one for each operation.',
        },
      },
    },
  });
  // The library's type describes OpenAPI 3.2, which allows more than the requested 3.1.
  return document as oas31.OpenAPIObject;
}

/** The same description as YAML. */
export function openapiYaml(publicUrl?: string): string {
  return stringify(openapiDocument(publicUrl), { aliasDuplicateObjects: false, lineWidth: 120, version: '1.1' });
}

const sourcesPath = {
  get: {
    operationId: 'listSources',
    summary: 'List the account’s sources',
    description:
      'Returns up to 10 non-archived sources, most recently changed first, without pagination. Also serves as the key check: 200 means the key works.',
    tags: ['Sources'],
    responses: { '200': answer('The account’s sources', sourcesBodySchema), '304': UNCHANGED, ...REFUSED },
  },
};

const SOURCE_ID = idSchema.meta({ description: 'A source ID obtained from GET /v1/sources', example: 'src_1' });

const pulsePath = {
  get: {
    operationId: 'getLatestPulse',
    summary: 'Get the latest pulse of a source',
    description: "The most recent successful run across all of the source's connections.",
    tags: ['Pulses'],
    requestParams: {
      path: z.object({ sourceId: SOURCE_ID }),
    },
    responses: {
      '200': answer('The latest pulse', pulseBodySchema),
      '304': UNCHANGED,
      ...REFUSED,
      '404': refusal('The account has no such source, or it never had a successful run'),
    },
  },
};

const openapiPath = {
  get: {
    operationId: 'getDescription',
    summary: 'Get this description',
    description: 'Needs no key. Requests are counted per client IP address, or per key if a key is sent.',
    tags: ['Description'],
    security: [],
    responses: {
      '200': {
        description: 'This description as YAML',
        headers: rateLimitHeaders,
        content: { 'application/yaml': { schema: z.string() } },
      },
      '304': UNCHANGED,
      '429': REFUSED['429'],
      '500': REFUSED['500'],
    },
  },
};

function answer(description: string, schema: z.ZodType) {
  return { description, headers: rateLimitHeaders, content: { 'application/json': { schema } } };
}

function refusal(description: string) {
  return answer(description, errorBodySchema);
}

function header(description: string, example: number) {
  return { description, required: true, schema: { type: 'integer' as const, minimum: 0 }, example };
}
