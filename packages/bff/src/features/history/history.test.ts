import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseAnswerSchema, pulsesAnswerSchema, runsAnswerSchema } from '@pulse-card/contract';
import { fullPulse, sourcesBody } from '@pulse-card/contract/examples';
import { KEYS_FILE, tokenAt } from '../../../../token/src/testing/forged-tokens.ts';
import { account, answerWell, type FakeService, sendJson, startFakeService } from '../../testing/fake-service.ts';
import { pngOf, sendPng } from '../../testing/fake-cdn.ts';
import { describeWithRedis } from '../../testing/instances.ts';
import { until } from '../../../../testkit/src/until.ts';
import { startRedis } from '../../../../testkit/src/redis-server.ts';
import { serveBff, statusOf } from '../../testing/served-bff.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Makes the service answer with this run of `src_1` from now on. If null, the source has no run. */
function showRun(service: FakeService, day: number | null, accountId = account.id): void {
  const meta = () => ({ account: { ...account, id: accountId }, requestedAt: new Date().toISOString() });
  service.answer = (request, response) => {
    if (request.url === '/v1/sources') return sendJson(response, 200, { ...sourcesBody, meta: meta() });
    if (request.url !== '/v1/sources/src_1/pulse') return answerWell(request, response);
    if (day === null) return sendJson(response, 404, { success: false, error: 'No pulse found for this source' });
    const completedAt = new Date(Date.UTC(2026, 4, day)).toISOString();
    const aiSummaryShort = `Up ${day} <b>%</b>`;
    const imageUrl = `${service.url}/charts/${day}.png`;
    const pulse = { ...fullPulse, jobRunId: `run_${day}`, completedAt, aiSummaryShort, imageUrl };
    return sendJson(response, 200, { meta: meta(), pulse });
  };
}

async function openHistory(service: FakeService, variables = {}) {
  const bff = await serveBff({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: service.url,
    PULSE_FRESH_MS: '1',
    PULSE_RATE_WINDOW_MS: '1000',
    PULSE_HISTORY: '30',
    PULSE_PUBLIC_URL: 'https://pulse.test',
    ...variables,
  });
  const get = (path: string, init?: RequestInit) => fetch(bff.url + path, init);
  return {
    ...bff,
    get,
    runs: async () => runsAnswerSchema.parse(await (await get('/v1/sources/src_1/runs')).json()),
    /** Waits until readers see the run of the given day. */
    seen: (day: number) =>
      until(`run ${day}`, async () => (await bff.read('src_1')).body.pulse?.jobRunId === `run_${day}`),
  };
}

const idsIn = ({ runs }: { runs: readonly { jobRunId: string }[] }) => runs.map(({ jobRunId }) => jobRunId);

describe('GET /v1/sources/{sourceId}/runs', () => {
  it('lists the runs that the BFF has seen, newest first, without a call to the service', async () => {
    await using service = await startFakeService();
    showRun(service, 1);
    await using bff = await openHistory(service);
    await bff.seen(1);
    showRun(service, 2);
    await bff.seen(2);
    const answer = await bff.runs();
    assert.deepEqual([idsIn(answer), answer.meta.complete], [['run_2', 'run_1'], false]);
    assert.equal(answer.runs[1]?.aiSummaryShort, 'Up 1 <b>%</b>');
    const calls = service.arrivals.length;
    await bff.runs();
    assert.ok(service.arrivals.length <= calls + 1);
    const response = await bff.get('/v1/sources/src_1/runs');
    for (const name of ['ETag', 'Age', 'Cache-Control', 'Cache-Status', 'Vary'])
      assert.ok(response.headers.has(name), name);
    await until('it has not changed', async () => {
      const tag = (await bff.get('/v1/sources/src_1/runs')).headers.get('ETag') ?? '';
      const again = await bff.get('/v1/sources/src_1/runs', { headers: { 'If-None-Match': tag } });
      return again.status === 304;
    });
  });

  it('responds with the same error as the pulse route', async () => {
    await using service = await startFakeService();
    await using bff = await openHistory(service);
    for (const [id, code] of [
      ['none', 'source_unknown'],
      ['src_bare', 'pulse_not_found'],
      ['..%2f', 'invalid_source_id'],
    ]) {
      await bff.get(`/v1/sources/${id}/pulse`);
      const body = (await (await bff.get(`/v1/sources/${id}/runs`)).json()) as { code: string };
      assert.equal(body.code, code);
    }
  });

  it('responds only to readers who may see the pulse', async () => {
    using folder = temporaryFolder();
    await using service = await startFakeService();
    await using bff = await openHistory(service, {
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: folder.file('keys', KEYS_FILE),
      PULSE_SOURCES: 'src_1,src_2',
    });
    const ask = (token?: string) => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      return bff.get('/v1/sources/src_1/runs', { headers });
    };
    const tokenFor = (sources: string[]) => tokenAt(Math.floor(Date.now() / 1_000), { sources });
    const statuses = [await ask(), await ask(tokenFor(['src_2']))].map(({ status }) => status);
    assert.deepEqual(statuses, [401, 403]);
    await until('a run is seen', async () => {
      const headers = { Authorization: `Bearer ${tokenFor(['src_1'])}` };
      await bff.get('/v1/sources/src_1/pulse', { headers });
      return (await ask(tokenFor(['src_1']))).status === 200;
    });
    const response = await ask(tokenFor(['src_1']));
    assert.match(response.headers.get('Cache-Control') ?? '', /^private/);
  });

  it('lists chart addresses on the BFF if PULSE_IMAGES=proxy', async () => {
    await using service = await startFakeService();
    const showChart = (day: number) => {
      showRun(service, day);
      const answerRun = service.answer;
      service.answer = (request, response) => {
        if (request.url === `/charts/${day}.png` || request.url === '/charts/1.png')
          return sendPng(pngOf(400 + Number(request.url.slice(8, 9))))(request, response);
        return answerRun(request, response);
      };
    };
    showChart(1);
    await using bff = await openHistory(service, { PULSE_IMAGES: 'proxy' });
    await bff.seen(1);
    showChart(2);
    await bff.seen(2);
    const addresses = (await bff.runs()).runs.map(({ imageUrl }) => imageUrl);
    assert.deepEqual(
      addresses,
      [2, 1].map((day) => `https://pulse.test/v1/sources/src_1/image?run=run_${day}`),
    );
    const lengths = [1, 2].map(async (day) => {
      const response = await bff.get(`/v1/sources/src_1/image?run=run_${day}`);
      return (await response.arrayBuffer()).byteLength;
    });
    assert.deepEqual(await Promise.all(lengths), [401, 402]);
    assert.equal((await bff.get('/v1/sources/src_1/image?run=run_3')).status, 404);
  });

  it('forgets a source’s runs when the service no longer has a pulse for it', async () => {
    await using service = await startFakeService();
    showRun(service, 1);
    await using bff = await openHistory(service);
    await bff.seen(1);
    showRun(service, null);
    await until('it has no pulse', async () => (await bff.read('src_1')).status === 404);
    showRun(service, 2);
    await bff.seen(2);
    assert.deepEqual(idsIn(await bff.runs()), ['run_2']);
  });

  it('isn’t available without PULSE_HISTORY', async () => {
    await using service = await startFakeService();
    await using bff = await openHistory(service, { PULSE_HISTORY: '' });
    for (const path of ['runs', 'feed']) {
      const response = await bff.get(`/v1/sources/src_1/${path}`);
      assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [404, 'not_found']);
    }
    assert.equal((await bff.get('/embed/src_1?run=none')).status, (await bff.get('/embed/src_1')).status);
  });

  it('lists the same account’s runs from before a restart if PULSE_STATE_DIR is set', async () => {
    using folder = temporaryFolder();
    await using service = await startFakeService();
    const variables = { PULSE_STATE_DIR: folder.path };
    showRun(service, 1);
    {
      await using bff = await openHistory(service, variables);
      await bff.seen(1);
    }
    showRun(service, 2);
    {
      await using bff = await openHistory(service, variables);
      await bff.seen(2);
      await until('both', async () => idsIn(await bff.runs()).join() === 'run_2,run_1');
    }
    showRun(service, 3, 'acc_other');
    await using other = await openHistory(service, { ...variables, PULSE_API_KEY: 'the-key-of-another' });
    await other.seen(3);
    await until('its own', async () => idsIn(await other.runs()).join() === 'run_3');
  });
});

describe('A history after a restart, with PULSE_STATE_DIR', () => {
  /** Fills a folder with the history of a BFF that has seen the runs of ten days. */
  async function fillFolder(service: FakeService, path: string): Promise<void> {
    showRun(service, 1);
    await using bff = await openHistory(service, { PULSE_STATE_DIR: path });
    for (let day = 1; day <= 10; day += 1) {
      showRun(service, day);
      await bff.seen(day);
    }
  }

  it('includes all runs and the rhythm in the first response, even if the service is down', async () => {
    using folder = temporaryFolder();
    await using service = await startFakeService();
    await fillFolder(service, folder.path);
    service.answer = (_request, response) => sendJson(response, 500, {});
    await using bff = await openHistory(service, { PULSE_STATE_DIR: folder.path });
    const { source } = pulseAnswerSchema.parse(await (await bff.get('/v1/sources/src_1/pulse')).json());
    assert.equal(source.rhythm?.usual, 'daily');
    assert.equal((await bff.runs()).runs.length, 10);
  });

  it('has fewer runs if PULSE_HISTORY is smaller', async () => {
    using folder = temporaryFolder();
    await using service = await startFakeService();
    await fillFolder(service, folder.path);
    await using bff = await openHistory(service, { PULSE_STATE_DIR: folder.path, PULSE_HISTORY: '2' });
    assert.deepEqual(idsIn(await bff.runs()), ['run_10', 'run_9']);
  });
});

describeWithRedis('instances on one Redis', () => {
  it('share the runs, and keep them when all instances restart', async () => {
    await using redis = await startRedis();
    await using service = await startFakeService();
    showRun(service, 1);
    const open = () => openHistory(service, { REDIS_URL: redis.url, PULSE_FRESH_MS: '50' });
    {
      await using one = await open();
      await one.seen(1);
      showRun(service, 2);
      await one.seen(2);
      await using other = await open();
      await other.seen(2);
      await until('both', async () => idsIn(await other.runs()).join() === 'run_2,run_1');
    }
    await using last = await open();
    showRun(service, 3);
    await last.seen(3);
    await until('all', async () => idsIn(await last.runs()).join() === 'run_3,run_2,run_1');
  });
});

describe('source.rhythm', () => {
  it('is in each answer, regardless of PULSE_HISTORY', async () => {
    await using service = await startFakeService();
    await using bff = await openHistory(service, { PULSE_HISTORY: '0' });
    await until('there is a pulse', async () => (await bff.read('src_1')).status === 200);
    const one = pulseAnswerSchema.parse(await (await bff.get('/v1/sources/src_1/pulse')).json());
    const many = pulsesAnswerSchema.parse(await (await bff.get('/v1/pulses?ids=src_1')).json());
    const unknown = { usual: null, overdueSince: null };
    const [first] = many.pulses;
    assert.deepEqual([one.source.rhythm, first?.ok && first.source.rhythm], [unknown, unknown]);
  });

  it('shows that a daily source has stopped, and reports this to the operator', async () => {
    await using service = await startFakeService();
    showRun(service, 1);
    await using bff = await openHistory(service);
    for (let day = 1; day <= 10; day += 1) {
      showRun(service, day);
      await bff.seen(day);
    }
    const { source } = pulseAnswerSchema.parse(await (await bff.get('/v1/sources/src_1/pulse')).json());
    const overdueSince = new Date(Date.UTC(2026, 4, 10) + 1.5 * DAY_MS).toISOString();
    assert.deepEqual(source.rhythm, { usual: 'daily', overdueSince });
    const problem = statusOf(bff.bff).problems.find(({ code }) => code === 'source_overdue');
    assert.deepEqual([problem?.level, problem?.sourceId], ['notice', 'src_1']);
  });
});

describe('GET /embed/{sourceId}?run=', () => {
  it('shows an earlier run, and doesn’t load scripts that would replace the run', async () => {
    await using service = await startFakeService();
    showRun(service, 1);
    await using bff = await openHistory(service);
    await bff.seen(1);
    showRun(service, 2);
    await bff.seen(2);
    const html = await (await bff.get('/embed/src_1?run=run_1')).text();
    assert.match(html, /Up 1/);
    assert.match(html, /<span part="status" class="version"[^]*<span>Version of [A-Z]/);
    assert.doesNotMatch(html, /Up 2|source-id|pulse-card-[0-9a-f]+\.js/);
    assert.match(html, /<link rel="canonical" href="https:\/\/pulse\.test\/embed\/src_1\?run=run_1">/);
    const latest = await (await bff.get('/embed/src_1')).text();
    assert.match(latest, /Up 2/);
    assert.doesNotMatch(latest, /Version of/);
    assert.equal((await bff.get('/embed/src_1?run=run_9')).status, 404);
  });
});

describe('GET /v1/sources/{sourceId}/feed', () => {
  it('is Atom with a label in each title, and is linked from pages for frames', async () => {
    await using service = await startFakeService();
    showRun(service, 1);
    await using bff = await openHistory(service);
    await bff.seen(1);
    const response = await bff.get('/v1/sources/src_1/feed');
    assert.equal(response.headers.get('Content-Type'), 'application/atom+xml; charset=utf-8');
    const xml = await response.text();
    assert.match(xml, /<title type="html"><!\[CDATA\[AI-generated: Up 1 &#60;b&#62;%&#60;\/b&#62;\]\]>/);
    assert.match(xml, /<id>https:\/\/pulse\.test\/embed\/src_1\?run=run_1<\/id>/);
    assert.match(xml, /<link rel="enclosure" href="http:\/\/[^"]+" type="image\/png"/);
    const page = await (await bff.get('/embed/src_1')).text();
    assert.match(
      page,
      /<link rel="alternate" type="application\/atom\+xml" href="https:\/\/pulse\.test\/v1\/sources\/src_1\/feed"/,
    );
  });

  it('isn’t available if shared caches must not store the data', async () => {
    await using service = await startFakeService();
    await using bff = await openHistory(service, { PULSE_CACHE: 'private' });
    await until('there is a pulse', async () => (await bff.read('src_1')).status === 200);
    assert.equal((await bff.get('/v1/sources/src_1/feed')).status, 404);
    assert.doesNotMatch(await (await bff.get('/embed/src_1')).text(), /atom\+xml/);
  });
});
