import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '../../config/config.ts';
import { Secret } from '../../lib/secret.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { redisAddressOf } from './address.ts';

describe('redisAddressOf()', () => {
  it('is the value of REDIS_URL, or the line in the file of REDIS_URL_FILE', async () => {
    using folder = temporaryFolder();
    const url = new Secret('redis://a');
    const file = folder.file('redis', 'rediss://user:canary@b:6380/2\n');
    assert.equal(await redisAddressOf({ REDIS_URL: url, REDIS_URL_FILE: undefined }), url);
    assert.equal(
      (await redisAddressOf({ REDIS_URL: undefined, REDIS_URL_FILE: file }))?.reveal(),
      'rediss://user:canary@b:6380/2',
    );
    assert.equal(await redisAddressOf({ REDIS_URL: undefined, REDIS_URL_FILE: undefined }), undefined);
  });

  it('T-10: says what is wrong with the file, without quoting it', async () => {
    using folder = temporaryFolder();
    const file = folder.file('redis', 'canary:6379');
    await assert.rejects(redisAddressOf({ REDIS_URL: undefined, REDIS_URL_FILE: file }), (error) => {
      assert.ok(error instanceof ConfigError);
      const [fault = ''] = error.faults;
      return (
        fault === 'REDIS_URL_FILE: the line in the file must be a redis: or rediss: address such as redis://host:6379/0'
      );
    });
  });
});
