import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codedErrorBodySchema, pulseAnswerSchema } from '@pulse-card/contract';
import { openEvents } from '../../testing/event-reader.ts';
import { cardWithPulse, hit } from '../../testing/fake-cache.ts';
import { pulseOf } from '../../testing/fake-upstream.ts';
import { hostileIds } from '../../testing/hostile-ids.ts';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { type ServedApp, serveApp } from '../../testing/served-app.ts';

const PAGE = 'https://page.test';

let app: ServedApp;
before(async () => {
  app = await serveApp({ PULSE_ALLOWED_ORIGINS: PAGE, PULSE_PUBLIC_URL: 'https://pulse.test' });
});
after(() => app[Symbol.asyncDispose]());

const eventsOf = (ids: string) => `${app.url}/v1/events?ids=${ids}`;
const cardOf = (run: string) => ({ ...cardWithPulse, pulse: pulseOf('src_1', run) });

describe('GET /v1/events', () => {
  it('is a stream that nothing on the way holds back or keeps', async () => {
    await using reader = await openEvents(eventsOf('src_1'), { Origin: PAGE, 'Accept-Encoding': 'br, gzip' });
    const { status, headers } = reader.response;
    assert.equal(status, 200);
    assert.equal(headers.get('Content-Type'), 'text/event-stream');
    assert.equal(headers.get('Cache-Control'), 'no-store, no-transform');
    assert.equal(headers.get('X-Accel-Buffering'), 'no');
    assert.equal(headers.get('Content-Encoding'), null);
    assert.equal(headers.get('Access-Control-Allow-Origin'), PAGE);
    assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
    assert.equal(headers.get('X-RateLimit-Limit'), '600');
  });

  it('begins with where the reader stands and when to come back, and with no pulse', async () => {
    await using reader = await openEvents(eventsOf('src_1'));
    const { id, retry, event } = (await reader.next()) ?? {};
    assert.deepEqual([id, event], [cardWithPulse.pulse?.jobRunId, undefined]);
    assert.ok(Number(retry) >= 2_000 && Number(retry) <= 10_000);
  });

  it('tells of a new pulse with what the pulse’s own route answers', async () => {
    await using reader = await openEvents(eventsOf('src_1'));
    app.cache.renew(cardOf('run_new'));
    const { body, id } = await reader.nextPulse();
    assert.equal(id, 'run_new');
    pulseAnswerSchema.parse(body);
    assert.deepEqual(body, await (await fetch(`${app.url}/v1/sources/src_1/pulse`)).json());
  });

  it('resumes after Last-Event-ID, and takes any', async () => {
    app.cache.peeks.set('src_1', hit(cardOf('run_7')));
    for (const id of ['run_6', 'x', '{}', 'é'.repeat(50), ',,,', 'a'.repeat(5_000)]) {
      await using reader = await openEvents(eventsOf('src_1'), { 'Last-Event-ID': encodeURIComponent(id) });
      assert.equal((await reader.nextPulse()).jobRunId, 'run_7');
    }
    for (const id of ['run_7', 'run_2, run_7,run_7', '']) {
      await using reader = await openEvents(eventsOf('src_1'), { 'Last-Event-ID': id });
      assert.equal((await reader.next())?.id, 'run_7');
    }
  });

  it('lets pages of other origins name the last event', async () => {
    const headers = { Origin: PAGE, 'Access-Control-Request-Headers': 'last-event-id' };
    const preflight = await fetch(eventsOf('src_1'), { method: 'OPTIONS', headers });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /\bLast-Event-ID\b/);
  });

  it('follows the sources that are known, beside ids that are not', async () => {
    await using reader = await openEvents(eventsOf('nobody,src_1,src_1,..%2fadmin,src_bare'));
    app.cache.renew(cardOf('run_8'));
    assert.equal((await reader.nextPulse()).jobRunId, 'run_8');
  });

  it('asks for nothing that is known already', async () => {
    const before = app.cache.waited.length;
    await using reader = await openEvents(eventsOf('src_1,src_bare,nobody'));
    await reader.next();
    assert.equal(app.cache.waited.length, before);
  });

  it('answers HEAD with its headers alone, and keeps no stream for it', async () => {
    const before = app.answered.length;
    const response = await fetch(eventsOf('src_1'), { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
    assert.equal(await response.text(), '');
    assert.equal(app.answered.length, before + 1);
  });

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    it(`answers 405 to ${method}`, async () => {
      const response = await fetch(eventsOf('src_1'), { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('Allow'), 'GET, HEAD, OPTIONS');
      assert.equal(codedErrorBodySchema.parse(await response.json()).code, 'method_not_allowed');
    });
  }

  describe('when it is refused (T-65)', () => {
    const refusals: readonly (readonly [string, string, number, string])[] = [
      ['no ids', '', 400, 'invalid_source_id'],
      ['empty ids', '?ids=', 400, 'invalid_source_id'],
      ['only commas', '?ids=,,,', 400, 'invalid_source_id'],
      [
        'more than fifty',
        `?ids=${Array.from({ length: 51 }, (_, at) => `s${at}`).join(',')}`,
        400,
        'invalid_source_id',
      ],
      ['nothing but unknown ids', '?ids=nobody,no-one', 404, 'source_unknown'],
      ...hostileIds
        .filter((id) => !id.includes(','))
        .map(
          (id) =>
            [JSON.stringify(id).slice(0, 30), `?ids=${encodeURIComponent(id)}`, 400, 'invalid_source_id'] as const,
        ),
    ];
    for (const [what, query, status, code] of refusals) {
      it(`answers ${status} ${code} to ${what}`, async () => {
        const response = await fetch(`${app.url}/v1/events${query}`);
        assert.equal(response.status, status);
        assert.equal(codedErrorBodySchema.parse(await response.json()).code, code);
      });
    }

    it('answers 403 to a page of another origin before anything else', async () => {
      const response = await fetch(eventsOf('src_1'), { headers: { Origin: 'https://evil.test' } });
      assert.equal(response.status, 403);
      assert.equal(codedErrorBodySchema.parse(await response.json()).code, 'origin_forbidden');
    });

    it('counts streams as requests of the client', async () => {
      await using small = await serveApp({ PULSE_CLIENT_RATE: '1' });
      await using reader = await openEvents(`${small.url}/v1/events?ids=src_1`);
      assert.equal(reader.response.status, 200);
      assert.equal((await fetch(`${small.url}/v1/events?ids=src_1`)).status, 429);
    });

    it('answers 429 with Retry-After to the twenty-first stream of one address', async () => {
      await using own = await serveApp();
      const url = `${own.url}/v1/events?ids=src_1`;
      for (let at = 0; at < 20; at += 1) await openEvents(url);
      const response = await fetch(url);
      assert.equal(response.status, 429);
      assert.equal(codedErrorBodySchema.parse(await response.json()).code, 'rate_limited');
      const seconds = Number(response.headers.get('Retry-After'));
      assert.ok(Number.isInteger(seconds) && seconds >= 15 && seconds <= 60);
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    });

    it('says that the server is about to stop, where that is why', async () => {
      await using own = await serveApp();
      own.live.close();
      const response = await fetch(`${own.url}/v1/events?ids=src_1`);
      assert.equal(response.status, 503);
      assert.match(codedErrorBodySchema.parse(await response.json()).error, /about to stop/);
    });

    it('opens no stream for a request that was sent behind another one', async () => {
      await using own = await serveApp();
      const two = [rawGet('/v1/pulses?ids=src_slow', []), rawGet('/v1/events?ids=src_1', ['Connection: close'])].join(
        '',
      );
      own.cache.reads.set('src_slow', hit(cardWithPulse));
      const answers = await sendRaw(own.port, two);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 503],
      );
    });
  });
});
