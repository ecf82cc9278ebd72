import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { descriptionOf, descriptionYaml } from '../../../describe.ts';
import { FILE_PATHS } from './file-routes.ts';

describe('descriptionYaml()', () => {
  for (const access of ['public', 'token'] as const)
    it(`is valid OpenAPI 3.1 according to an independent validator, with ${access} access`, async () => {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(descriptionYaml({ access }));
      assert.deepEqual([valid, errors, validator.version], [true, undefined, '3.1']);
    });

  it('has the same meaning when parsed as YAML 1.1', () => {
    for (const access of ['public', 'token'] as const) {
      const text = descriptionYaml({ access });
      assert.deepEqual(parse(text, { version: '1.1' }), parse(text, { version: '1.2' }));
    }
  });

  it('describes the reader header and the rate-limit headers of each response with data', () => {
    const { paths = {} } = descriptionOf({ access: 'public' });
    for (const path of ['/v1/pulses', '/v1/sources', '/v1/sources/{sourceId}/image', '/embed/{sourceId}', '/oembed'])
      for (const status of ['200', '304', '403', '429', '503']) {
        assert.partialDeepStrictEqual(
          paths[path]?.get?.responses?.[status],
          { headers: { 'Pulse-Reader': { required: false }, 'X-RateLimit-Remaining': { required: false } } },
          `${path} ${status}`,
        );
      }
  });

  it('requires a token if access is by token', () => {
    const { paths = {} } = descriptionOf({ access: 'token' });
    const guarded = Object.keys(paths).filter((path) => paths[path]?.get?.security !== undefined);
    const data = Object.keys(paths).filter((path) => /^\/(v1\/(?!openapi)|embed\/|oembed$)/.test(path));
    assert.deepEqual(guarded, data);
    for (const path of guarded) assert.ok(paths[path]?.get?.responses?.['401'], path);
    assert.doesNotMatch(descriptionYaml({ access: 'public' }), /securitySchemes|bearer/);
  });

  it('describes every file that the BFF serves', () => {
    const { paths = {} } = descriptionOf({ access: 'public' });
    for (const route of FILE_PATHS) assert.ok(paths[route.replace(/:(\w+)/, '{$1}')], route);
  });

  it('says that requests for the description and missing files count against the client limit', () => {
    const { paths = {} } = descriptionOf({ access: 'public' });
    const counted = Object.keys(paths).filter((path) => paths[path]?.get?.responses?.['429'] !== undefined);
    const uncounted = [
      '/pulse-card.js',
      '/pulse-board.js',
      '/pulse-frame.js',
      '/pulse-frame-page.js',
      '/pulse-icon.svg',
      '/THIRD-PARTY-NOTICES.txt',
    ];
    assert.deepEqual(
      Object.keys(paths).filter((path) => !counted.includes(path)),
      [...uncounted, '/healthz', '/readyz'],
    );
  });

  it('does not mention the key or the account', () => {
    assert.doesNotMatch(descriptionYaml({ access: 'public' }), /api-?key|email|account/i);
  });
});
