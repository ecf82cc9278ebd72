import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Config } from '../../config.ts';
import { memoryText } from '../../lib/stored-text.ts';
import { openOutgoing, type Outgoing } from '../../lib/outgoing.ts';
import { Secret } from '../../lib/secret.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { serve } from '../../testing/serve.ts';
import { testLog } from '../../testing/test-log.ts';
import type { Problem } from '../../lib/problem.ts';
import { chatText, messageOf, openAlerts, sendMessage } from './alerts.ts';

const MINUTE = 60_000;

function problem(code: string, more: Partial<Problem & { stage: string }> = {}): Problem {
  return { code, level: 'degraded', headline: `${code} began.`, advice: 'Look.', ...more };
}

/** Alerts whose messages a test can read. `restart()` opens them again with the same stored text. */
async function open({ text = memoryText(), clock = createVirtualClock(), url = 'https://hooks.test/canary' } = {}) {
  const world = { problems: [] as Problem[], hasAnswered: true, status: 200, messages: [] as string[] };
  const outgoing = {
    fetch: async (_url: URL, { body }: { readonly body?: unknown }) => {
      if (world.status === 200) world.messages.push((JSON.parse(body as string) as { text: string }).text);
      return new Response('', { status: world.status });
    },
  } as unknown as Outgoing;
  const { log, messages: logged } = testLog('info', clock);
  const config = {
    publicUrl: 'https://pulse.test',
    alertUrl: url === '' ? undefined : new Secret(url),
    alertUrlFile: undefined,
  } as Config;
  const alerts = await openAlerts({ config, log, clock, text, outgoing });
  /** Looks every ten seconds and returns the lines of the sent messages, without bullets. */
  const after = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 10_000) {
      await clock.advance(10_000);
      await alerts.look(world.problems, world);
    }
    return world.messages.splice(0).map((message) =>
      message
        .split('\n• ')
        .slice(1)
        .map((line) => line.replaceAll('\u200B', '')),
    );
  };
  const restart = () => open({ text, clock });
  return { world, alerts, after, restart, logged };
}

describe('Alerts', () => {
  for (const code of ['upstream_auth', 'key_file_refused', 'key_ends', 'source_broken', 'source_overdue'])
    it(`reports once when ${code} begins and once when it is resolved`, async () => {
      const { world, after } = await open();
      world.problems = [problem(code)];
      assert.deepEqual(await after(90_000), [[`${code} began. Look.`]]);
      assert.deepEqual(await after(30 * MINUTE), []);
      world.problems = [];
      assert.deepEqual(await after(90_000), [[`Over: ${code} began.`]]);
      assert.deepEqual(await after(30 * MINUTE), []);
    });

  for (const code of ['upstream_unavailable', 'upstream_rate_limited'])
    it(`reports ${code} only after it has persisted for ten minutes`, async () => {
      const { world, after } = await open();
      world.problems = [problem(code)];
      assert.deepEqual(await after(10 * MINUTE - 20_000), []);
      assert.deepEqual(await after(2 * MINUTE), [[`${code} began. Look.`]]);
    });

  it('reports a failing service only once, even if its errors change', async () => {
    const { world, after } = await open();
    const lines: string[][] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      world.problems = [problem(minute % 2 === 0 ? 'upstream_rate_limited' : 'upstream_unavailable')];
      lines.push(...(await after(MINUTE)));
    }
    world.problems = [];
    lines.push(...(await after(2 * MINUTE)));
    assert.deepEqual(lines, [['upstream_unavailable began. Look.'], ['Over: upstream_unavailable began.']]);
  });

  it('after a restart, resends nothing, and reports nothing as resolved until the service responds', async () => {
    const before = await open();
    before.world.problems = [problem('upstream_auth')];
    await before.after(90_000);
    const { world, after } = await before.restart();
    world.problems = [problem('upstream_auth')];
    assert.deepEqual(await after(5 * MINUTE), []);
    Object.assign(world, { problems: [], hasAnswered: false });
    assert.deepEqual(await after(10 * MINUTE), []);
    world.hasAnswered = true;
    assert.deepEqual(await after(90_000), [['Over: upstream_auth began.']]);
  });

  it('restarts the ten-minute wait if the problem was resolved in the meantime', async () => {
    const { world, after } = await open();
    for (let round = 0; round < 4; round += 1) {
      world.problems = [problem('upstream_unavailable')];
      assert.deepEqual(await after(8 * MINUTE), []);
      world.problems = [];
      assert.deepEqual(await after(MINUTE), []);
    }
  });

  it('doesn’t send anything about other problems', async () => {
    const { world, after } = await open();
    world.problems = [problem('host_down'), problem('images_failing')];
    assert.deepEqual(await after(60 * MINUTE), []);
  });

  it('does nothing without a webhook', async () => {
    const { world, alerts, after } = await open({ url: '' });
    world.problems = [problem('upstream_auth')];
    assert.deepEqual(await after(5 * MINUTE), []);
    assert.deepEqual(alerts.status(), { host: null, sent: 0, failure: null });
  });

  it('keeps host names in messages from becoming links', async () => {
    const clock = createVirtualClock();
    const { alerts, world } = await open({ clock });
    const found = [problem('upstream_auth', { headline: 'It redirects to evil.test.' })];
    for (const waitMs of [0, MINUTE]) {
      await clock.advance(waitMs);
      await alerts.look(found, world);
    }
    assert.match(world.messages.join(), /It redirects to evil\.\u200Btest\./);
  });

  it('combines changes within a minute into one message', async () => {
    const { world, after } = await open();
    world.problems = [problem('upstream_auth')];
    await after(90_000);
    world.problems = [problem('source_overdue', { sourceId: 'a' })];
    assert.deepEqual(await after(50_000), []);
    world.problems.push(problem('source_overdue', { sourceId: 'b', headline: 'The source "<b>" is overdue.' }));
    assert.deepEqual(await after(90_000), [
      ['source_overdue began. Look.', 'The source "&lt;b&gt;" is overdue. Look.', 'Over: upstream_auth began.'],
    ]);
  });

  it('doesn’t send another alert if a problem returns within ten minutes', async () => {
    const { world, after } = await open();
    world.problems = [problem('upstream_auth')];
    await after(90_000);
    world.problems = [];
    assert.equal((await after(90_000)).length, 1);
    for (let round = 0; round < 3; round += 1) {
      world.problems = [problem('upstream_auth')];
      assert.deepEqual(await after(90_000), []);
      world.problems = [];
      assert.deepEqual(await after(60_000), []);
    }
    world.problems = [problem('upstream_auth')];
    assert.deepEqual(await after(10 * MINUTE), [['upstream_auth began. Look.']]);
  });

  it('sends another alert when the same problem gets worse', async () => {
    const { world, after } = await open();
    for (const stage of ['15', '7', '1']) {
      world.problems = [problem('key_ends', { stage })];
      assert.equal((await after(90_000)).length, 1, stage);
      assert.equal((await after(90_000)).length, 0, stage);
    }
  });

  it('retries every minute until a message arrives, and reports only the host', async () => {
    const { world, alerts, after, logged } = await open();
    world.status = 500;
    world.problems = [problem('upstream_auth')];
    await after(5 * MINUTE);
    assert.deepEqual(alerts.status(), { host: 'hooks.test', sent: 0, failure: 'it returned 500' });
    assert.deepEqual(logged(), [
      'Can’t send an alert to hooks.test (PULSE_ALERT_URL): it returned 500; it will be sent again',
    ]);
    world.status = 200;
    assert.equal((await after(90_000)).length, 1);
    assert.deepEqual(alerts.status(), { host: 'hooks.test', sent: 1, failure: null });
  });

  it('doesn’t send anything if another instance is sending alerts', async () => {
    const { world, after } = await open({ text: { ...memoryText(), claim: async () => false } });
    world.problems = [problem('upstream_auth')];
    assert.deepEqual(await after(5 * MINUTE), []);
  });

  it('sends each message only once, even if the list of sent messages can’t be saved', async () => {
    const lost = async () => Promise.reject(new Error('lost'));
    const { world, after } = await open({ text: { isLasting: true, claim: lost, load: lost, save: lost } });
    world.problems = [problem('upstream_auth')];
    assert.equal((await after(10 * MINUTE)).length, 1);
  });

  it('treats a damaged record as empty', async () => {
    for (const content of ['{', '[]', '{"sent":{"upstream_auth":7}}', '{"sent":null}']) {
      const text = memoryText();
      await text.save(content);
      const { world, after } = await open({ text });
      world.problems = [problem('upstream_auth')];
      assert.equal((await after(90_000)).length, 1, content);
    }
  });
});

describe('sendMessage()', () => {
  const outgoing = openOutgoing();
  after(() => outgoing.close());

  /** A webhook on a free port that responds with `status`. */
  async function hook(status: number, headers = {}) {
    const bodies: string[] = [];
    const server = await serve((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)));
      request.on('end', () => response.writeHead(status, headers).end());
    });
    return { ...server, bodies, url: new Secret(`${server.url}/canary`) };
  }

  it('posts one JSON object', async () => {
    await using webhook = await hook(204);
    assert.equal(await sendMessage(webhook.url, 'a "text"', outgoing), undefined);
    assert.deepEqual(webhook.bodies, ['{"text":"a \\"text\\""}']);
  });

  it('waits at most five seconds for a response', async (t) => {
    const late = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(new DOMException('', 'TimeoutError')));
    assert.equal(await sendMessage(new Secret('http://127.0.0.1:2'), 'x', outgoing), 'it didn’t respond in time');
    assert.deepEqual(late.mock.calls[0]?.arguments, [5_000]);
  });

  it('doesn’t follow redirects or reveal any part of the URL', async () => {
    await using webhook = await hook(302, { Location: 'https://elsewhere.test/' });
    assert.equal(await sendMessage(webhook.url, 'x', outgoing), 'it returned 302');
    await webhook[Symbol.asyncDispose]();
    assert.match((await sendMessage(webhook.url, 'x', outgoing)) ?? '', /^it can’t be reached \(ECONNREFUSED\)$/);
  });
});

describe('messageOf()', () => {
  for (const [problems, lines, last] of [
    [10, 11, '• P9'],
    [12, 12, '• And 2 more: see the status page.'],
  ] as const)
    it(`names the BFF, lists up to ten of ${problems} problems, and counts the rest`, () => {
      const texts = Array.from({ length: problems }, (_, at) => `P${at}`);
      const message = messageOf(texts, 'https://pulse.test').split('\n');
      assert.deepEqual([message[0], message.length, message.at(-1)], ['Pulse Card at https://pulse.test', lines, last]);
    });
});

describe('chatText()', () => {
  it('keeps names from creating mentions, links, or formatting', () => {
    const text = chatText('a\n<!channel> @here *b* [c](https://evil.test) `d` & evil.test\u202e');
    assert.doesNotMatch(text, /[<>\n\u202e]|@here|\*b|\]\(|evil\.test|https:\/\//);
    assert.match(text, /&lt;.+&gt;.+&amp;/);
  });
});
