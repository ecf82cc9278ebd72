import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { answersOf } from '@pulse-card/testkit/answers-of';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import type { Front } from '@pulse-card/testkit/fronts/front';
import { startNginxFront } from '@pulse-card/testkit/fronts/nginx-front';
import { startVarnishFront } from '@pulse-card/testkit/fronts/varnish-front';
import { until } from '@pulse-card/testkit/until';

const PAGE = 'https://portal.example';
const OTHER_PAGE = 'https://news.example';
const EVIL = 'evil.test';

/** The lowest `max-age` of any response, in ms. A cache uses every response for at least this long. */
const SHORTEST_LIFE_MS = 1_000;

/**
 * The number of readers who arrive during the outage. The last readers arrive after the response has expired, while
 * caches can still use it.
 */
const READERS_IN_AN_OUTAGE = 40;

const STARTS = {
  nginx: startNginxFront,
  ...(process.env['PULSE_TEST_LONG'] === undefined ? {} : { Varnish: startVarnishFront }),
};

for (const [name, startFront] of Object.entries(STARTS))
  describe(`${name}, set up as in deploy/, in front of the BFF`, () => {
    let upstream: FakeService;
    let bff: BffProcess;
    let front: Front;
    const pathOf = (index: number) => `/v1/sources/${upstream.ids[index]}/pulse`;
    const ask = (path: string, headers: Record<string, string> = {}) => fetch(front.url + path, { headers });

    before(async () => {
      upstream = await startFakeService({ sources: 8, hasCharts: true });
      const env = { PULSE_ALLOWED_ORIGINS: `${PAGE},${OTHER_PAGE}`, PULSE_FRESH_MS: '3000', TRUST_PROXY: '1' };
      bff = await BffProcess.start({ upstream, env });
      await until('the BFF is ready', async () => (await fetch(`${bff.url}/readyz`)).ok);
      front = await startFront(bff.url);
    });
    after(async () => {
      await front?.stop();
      await bff?.stop();
      await upstream?.close();
    });

    it('serves most readers without contacting the BFF', async () => {
      const path = pathOf(0);
      await until('there is a pulse', async () => (await ask(path)).ok);
      const [startedAt, answersBefore] = [performance.now(), await answersOf(bff)];
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(path)));
      const lives = Math.ceil((performance.now() - startedAt) / SHORTEST_LIFE_MS);
      assert.ok(answers.every(({ status }) => status === 200));
      const passed = (await answersOf(bff)) - answersBefore;
      assert.ok(passed <= 1 + lives, `${passed} of 100 reached the BFF in ${lives} lives of an answer`);
    });

    it('returns 304 if the reader already has the response', async () => {
      const path = pathOf(0);
      await until('a reader comes back within the life of an answer', async () => {
        const etag = (await ask(path)).headers.get('etag') ?? '';
        return etag !== '' && (await ask(path, { 'if-none-match': etag })).status === 304;
      });
    });

    it('doesn’t send the latest chart again to a reader who already has it', async () => {
      const path = pathOf(0).replace('/pulse', '/image');
      const chart = await ask(path);
      assert.equal(chart.status, 200);
      assert.equal((await ask(path, { 'if-none-match': chart.headers.get('etag') ?? '' })).status, 304);
    });

    it('serves a new response soon after the BFF receives it', async () => {
      const path = pathOf(1);
      const first = (await ask(path)).headers.get('etag');
      await until('the ETag has changed', async () => (await ask(path)).headers.get('etag') !== first);
    });

    if (name === 'nginx')
      it('never serves an expired response, even to the first reader after a quiet period', async () => {
        const path = pathOf(4);
        let outcome: string | null = 'HIT';
        await until('there is a pulse', async () => (await ask(path)).ok);
        await until('the answer is no longer fresh', async () => {
          outcome = (await ask(path)).headers.get('x-cache');
          return outcome !== 'HIT';
        });
        assert.ok(['EXPIRED', 'REVALIDATED', 'MISS'].includes(outcome), outcome);
      });

    it('caches responses for two origins separately', async () => {
      const path = pathOf(2);
      for (const origin of [PAGE, OTHER_PAGE, PAGE]) {
        const answer = await ask(path, { origin });
        assert.equal(answer.headers.get('access-control-allow-origin'), origin);
        assert.match(answer.headers.get('vary') ?? '', /origin/i);
      }
      assert.equal((await ask(path)).headers.get('access-control-allow-origin'), null);
    });

    it('caches each encoding of a response separately', async () => {
      const path = `/v1/pulses?ids=${upstream.ids.join(',')}`;
      for (const encoding of ['gzip', 'identity', 'gzip']) {
        const answer = await ask(path, { 'accept-encoding': encoding });
        assert.ok([null, encoding].includes(answer.headers.get('content-encoding')));
        assert.ok(Array.isArray(((await answer.json()) as { pulses: unknown }).pulses));
      }
    });

    const poisons: Record<string, string>[] = [
      { 'x-forwarded-host': EVIL },
      { 'x-forwarded-proto': EVIL },
      { 'x-forwarded-prefix': `/${EVIL}` },
      { 'x-original-url': `/${EVIL}` },
      { 'x-rewrite-url': `/${EVIL}` },
      { 'x-http-method-override': 'DELETE' },
      { origin: `https://${EVIL}` },
      { cookie: `a=${EVIL}` },
      { range: 'bytes=0-0' },
      { 'cache-control': 'no-store, no-cache' },
    ];
    for (const [index, poison] of poisons.entries())
      it(`doesn’t let a reader affect another reader’s response: ${JSON.stringify(poison)}`, async () => {
        const path = `/v1/pulses?ids=${upstream.ids[3]}&case=${index}`;
        await ask(path, poison).then((answer) => answer.arrayBuffer());
        const clean = await ask(path, { origin: PAGE });
        const said = JSON.stringify([...clean.headers]) + (await clean.text());
        assert.equal(clean.status, 200);
        assert.ok(!said.includes(EVIL), said);
      });

    it('never caches a failure', async () => {
      await ask('/v1/sources/..%2f..%2fkeys/pulse').then((answer) => assert.equal(answer.status, 400));
      const before = await answersOf(bff);
      await ask('/v1/sources/..%2f..%2fkeys/pulse');
      assert.ok((await answersOf(bff)) > before);
    });

    it('serves cached responses while the BFF is down, and new ones when the BFF is back', async () => {
      const path = pathOf(0);
      assert.equal((await ask(path)).status, 200);
      await bff.kill();
      const statuses = new Set<number>();
      for (let reader = 0; reader < READERS_IN_AN_OUTAGE; reader += 1) {
        statuses.add(await ask(path).then(async (answer) => (await answer.arrayBuffer(), answer.status)));
        await pause(100);
      }
      assert.deepEqual([...statuses], [200]);
      await bff.restart();
      const old = (await ask(path)).headers.get('etag');
      await until('the ETag has changed', async () => (await ask(path)).headers.get('etag') !== old);
    });
  });
