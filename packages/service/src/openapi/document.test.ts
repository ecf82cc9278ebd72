import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEY_HEADER, metaSchema, pulseSchema, RATE_LIMIT_HEADERS, sourceSchema } from '@pulse-card/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { openapiDocument, openapiYaml } from './document.ts';

const PATHS = ['/v1/sources', '/v1/sources/{sourceId}/pulse', '/v1/openapi.yaml'];

interface Operation {
  security?: unknown[];
  responses: Record<string, { headers?: Record<string, unknown>; content: Record<string, unknown> }>;
}

describe('openapiDocument()', () => {
  const document = JSON.parse(JSON.stringify(openapiDocument('https://pulse.example.com'))) as {
    openapi: string;
    servers: unknown;
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  };

  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined });
    assert.equal(validator.version, '3.1');
  });

  it('describes exactly the specification’s three operations, all GET', () => {
    assert.deepEqual(Object.keys(document.paths), PATHS);
    for (const path of PATHS) assert.deepEqual(Object.keys(document.paths[path]!), ['get']);
  });

  it('contains its server’s URL', () => {
    assert.deepEqual(document.servers, [{ url: 'https://pulse.example.com' }]);
  });

  it('requires the key header for everything except the description itself', () => {
    assert.partialDeepStrictEqual(document.components.securitySchemes['apiKey'], { in: 'header', name: KEY_HEADER });
    assert.deepEqual(document.paths['/v1/openapi.yaml']!['get']!.security, []);
  });

  it('lists each operation’s status codes', () => {
    const statuses = PATHS.map((path) => Object.keys(document.paths[path]!['get']!.responses));
    assert.deepEqual(statuses, [
      ['200', '304', '401', '403', '429', '500'],
      ['200', '304', '401', '403', '404', '429', '500'],
      ['200', '304', '429', '500'],
    ]);
  });

  it('includes the three rate-limit headers in every response', () => {
    for (const path of PATHS) {
      for (const [status, { headers }] of Object.entries(document.paths[path]!['get']!.responses)) {
        for (const name of Object.values(RATE_LIMIT_HEADERS))
          assert.ok(headers?.[name], `${name} of ${status} ${path}`);
      }
    }
  });

  it('uses the contract’s schemas', () => {
    assert.deepEqual(
      new Set(Object.keys(document.components.schemas)),
      new Set(['Source', 'Pulse', 'Meta', 'SourcesBody', 'PulseBody', 'ErrorBody']),
    );
  });
});

describe('The examples', () => {
  const schemas = { Pulse: pulseSchema, Source: sourceSchema, Meta: metaSchema };
  for (const [schemaName, schema] of Object.entries(schemas))
    it(`are valid, and there is one for each field of ${schemaName}`, () => {
      const { properties } = openapiDocument().components!.schemas![schemaName] as {
        properties: Record<string, { example?: unknown }>;
      };
      const example = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.example]));
      assert.deepEqual(schema.parse(example), example);
    });

  it('include a source ID in each path', () => {
    const path = openapiDocument().paths!['/v1/sources/{sourceId}/pulse']!;
    const [parameter] = path.get!.parameters as { name: string; schema: { example?: unknown } }[];
    assert.deepEqual([parameter?.name, parameter?.schema.example], ['sourceId', 'src_1']);
  });
});

describe('openapiYaml()', () => {
  it('has the same meaning when parsed as YAML 1.1', () => {
    assert.deepEqual(parse(openapiYaml(), { version: '1.1' }), parse(openapiYaml(), { version: '1.2' }));
  });

  it('contains the same document as openapiDocument()', () => {
    assert.deepEqual(parse(openapiYaml()), JSON.parse(JSON.stringify(openapiDocument())));
  });
});
