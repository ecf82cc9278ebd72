import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { startFakeService } from './testing/fake-service.ts';
import { describeWithRedis, startInstances } from './testing/instances.ts';
import { until } from '../../testkit/src/until.ts';
import { serveBff } from './testing/served-bff.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** Values and names of fields that readers get only with `PULSE_EXPOSE`. */
const HIDDEN = /chat\.acme\.test|app\.acme\.test|org_1|"(?:deliveryLink|link|connectionCount|organization\w+)":/;

async function textIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))).join('\n');
}

describe('PULSE_STATE_DIR (T-08)', () => {
  const openIn = (folder: string, serviceUrl: string, expose: string) =>
    serveBff({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: serviceUrl,
      PULSE_STATE_DIR: folder,
      PULSE_EXPOSE: expose,
      PULSE_FRESH_MS: '60000',
      PULSE_RATE_WINDOW_MS: '1000',
    });
  const runIn = async (folder: string, serviceUrl: string, expose: string) => {
    await using bff = await openIn(folder, serviceUrl, expose);
    await until('an answer', async () => (await bff.read('src_1')).status === 200);
  };

  it('stores private fields only if PULSE_EXPOSE lists them', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    await runIn(folder.path, service.url, '');
    const text = await textIn(folder.path);
    assert.match(text, /run_1[^]*"fields":\[\]|"fields":\[\][^]*run_1/);
    assert.doesNotMatch(text, HIDDEN);
  });

  it('drops a stored field at startup if the field is no longer exposed', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    await runIn(folder.path, service.url, 'link,deliveryLink,organization,connectionCount');
    assert.match(await textIn(folder.path), HIDDEN);
    service.answer = (_request, response) => response.destroy();
    await using bff = await openIn(folder.path, service.url, '');
    assert.equal((await bff.read('src_1')).status, 200);
    assert.doesNotMatch(await textIn(folder.path), HIDDEN);
  });

  it('soon refreshes stored answers that lack a newly exposed field', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    await runIn(folder.path, service.url, '');
    service.arrivals.length = 0;
    await using bff = await openIn(folder.path, service.url, 'deliveryLink,link');
    const linkOf = async () => ((await bff.read('src_1')).body.pulse as { deliveryLink?: string }).deliveryLink;
    const startedAt = performance.now();
    await until('the field', async () => typeof (await linkOf()) === 'string');
    // Without the new field, the stored answers would stay fresh for a minute.
    assert.ok(performance.now() - startedAt < 50_000);
  });
});

describeWithRedis('Redis (T-08)', () => {
  it('stores private fields only if PULSE_EXPOSE lists them', async () => {
    await using instances = await startInstances(2);
    assert.equal((await instances.read(0, 'src_a')).status, 200);
    const redis = new Redis(instances.redis.url);
    const stored = async () => {
      const texts = await Promise.all((await redis.keys('*:answer:*')).map((name) => redis.hgetall(name)));
      return JSON.stringify(texts.map(({ body }) => JSON.parse(body ?? 'null') as unknown));
    };
    await until('the answer is stored', async () => (await stored()).includes('run_1'));
    const text = await stored();
    redis.disconnect();
    assert.match(text, /"fields":\[\]/);
    assert.doesNotMatch(text, HIDDEN);
  });
});
