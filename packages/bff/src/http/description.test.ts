import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { descriptionOf, descriptionYaml } from '../../describe.ts';
import { readDescription } from './files.ts';

const described = { access: 'public' } as const;

describe('descriptionYaml()', () => {
  it('is OpenAPI 3.1 to an independent validator', async () => {
    const validator = new Validator();
    const validation = await validator.validate(descriptionYaml(described));
    assert.deepEqual([validation.valid, validation.errors, validator.version], [true, undefined, '3.1']);
  });

  it('is that, too, where access is by token, and says where one is needed', async () => {
    const byToken = { ...described, access: 'token' } as const;
    const validation = await new Validator().validate(descriptionYaml(byToken));
    assert.deepEqual([validation.valid, validation.errors], [true, undefined]);
    const { paths = {} } = descriptionOf(byToken);
    const guarded = Object.keys(paths).filter((path) => paths[path]?.get?.security !== undefined);
    assert.deepEqual(
      guarded,
      Object.keys(paths).filter((path) => /^\/(v1\/(?!openapi)|embed\/|oembed$)/.test(path)),
    );
    assert.ok(guarded.every((path) => paths[path]?.get?.responses?.['401'] !== undefined));
    assert.doesNotMatch(descriptionYaml(described), /securitySchemes|bearer/);
  });

  it('is what the BFF reads', () => {
    for (const access of ['public', 'token'] as const)
      assert.equal(
        readDescription({ access, publicUrl: 'https://pulse.example.com' }).text,
        descriptionYaml({ access }),
      );
  });

  it('names the address that readers know', () => {
    assert.match(
      readDescription({ ...described, publicUrl: 'https://pulse.test' }).text,
      /- url: https:\/\/pulse\.test\n/,
    );
  });

  it('describes every file that is served, and that charts may be had already', () => {
    const { paths = {} } = descriptionOf(described);
    for (const path of [
      '/pulse-card-{hash}.js',
      '/pulse-card-{hash}.css',
      '/pulse-card-lang/{file}',
      '/pulse-frame.js',
      '/pulse-frame-page.js',
    ])
      assert.ok(paths[path]?.get?.responses?.['200'], path);
    assert.ok(paths['/v1/sources/{sourceId}/image']?.get?.responses?.['304']);
  });

  it('says that the limit per client counts requests for the description and for files that are not there', () => {
    const { paths = {} } = descriptionOf(described);
    const counted = Object.keys(paths).filter((path) => paths[path]?.get?.responses?.['429'] !== undefined);
    const uncounted = ['/pulse-card.js', '/pulse-board.js', '/pulse-frame.js', '/pulse-frame-page.js'];
    assert.deepEqual(
      Object.keys(paths).filter((path) => !counted.includes(path)),
      [...uncounted, '/healthz', '/readyz'],
    );
  });

  it('says nothing of the key or of the account', () => {
    assert.doesNotMatch(descriptionYaml(described), /api-?key|email|account/i);
  });
});
