import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { FakeBff, fakeToken, pulseOf } from '@pulse-card/widget/testing';
import { createPulseBff } from '../../bff/src/index.ts';
import { startTestUpstream } from '../../bff/src/testing/test-upstream.ts';
import { pngOf } from '../../bff/src/testing/fake-cdn.ts';
import { serve } from '../../bff/src/testing/serve.ts';
import { call, connectTo, serveBffWithChart } from './testing/chat.ts';

const COMPLETED_AT = '2026-05-08T09:00:12.000Z';
const NOW = Date.parse('2026-05-11T12:00:00.000Z');

const bff = await serveBffWithChart();
after(() => bff[Symbol.asyncDispose]());
const client = await connectTo({ bff: bff.url }, () => NOW);
const getPulse = () => call(client, 'get_pulse', { sourceId: 'src_1' });

/** A client for a server whose BFF responds to every request with `answer`. */
const connectToAnswer = (answer: () => Response | Promise<Response>) =>
  connectTo({ bff: 'https://pulse.test', fetch: async () => answer() });

describe('The MCP server', () => {
  it('has two read-only tools, each with schemas', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['get_pulse', 'list_pulses']);
    for (const { annotations, title, inputSchema, outputSchema } of tools) {
      assert.equal(annotations?.readOnlyHint, true);
      assert.ok(title && inputSchema.type === 'object' && outputSchema?.['type'] === 'object');
    }
  });
});

describe('get_pulse', () => {
  beforeEach(() => {
    bff.cdn.answer = (_request, response) => void response.writeHead(200).end(pngOf());
    bff.show({ completedAt: COMPLETED_AT });
  });

  it('returns the label, age, link, and finding, and the chart as an image', async () => {
    const { text, image, isError } = await getPulse();
    assert.equal(isError, false);
    assert.match(text, /AI-generated/);
    assert.match(text, /Completed: 2026-05-08T09:00:12\.000Z \(3 days ago\)/);
    assert.match(text, new RegExp(`Link: ${bff.url}/embed/src_1`));
    assert.match(text, /Finding \(AI-generated\): Revenue/);
    assert.deepEqual(image, { type: 'image', mimeType: 'image/png', data: pngOf().toString('base64') });
  });

  it('doesn’t show an age for a date more than five minutes in the future', async () => {
    bff.show({ completedAt: '2026-05-11T12:05:00.000Z' });
    assert.match((await getPulse()).text, /Completed: 2026-05-11T12:05:00\.000Z \(0 minutes ago\)/);
    bff.show({ completedAt: '2026-05-11T12:05:01.000Z' });
    assert.match((await getPulse()).text, /Completed: 2026-05-11T12:05:01\.000Z$/m);
    bff.show();
  });

  it('also returns the facts as structured content', async () => {
    const { structured } = await getPulse();
    const { runId, label, stale, completedAt, overdueSince, withheld } = structured ?? {};
    assert.deepEqual(
      { runId, label, stale, completedAt, overdueSince, withheld },
      {
        runId: 'run_1',
        label: 'AI-generated',
        stale: false,
        completedAt: COMPLETED_AT,
        overdueSince: null,
        withheld: false,
      },
    );
  });

  it('treats text without visible characters as missing', async () => {
    bff.show({ sourceName: '\u200b', aiSummaryShort: ' ', aiSummaryLong: '' });
    const { name, finding, analysis } = (await getPulse()).structured ?? {};
    assert.deepEqual({ name, finding, analysis }, { name: 'Q2 revenue', finding: null, analysis: null });
  });

  it('reports that a pulse is stale', async () => {
    assert.doesNotMatch((await getPulse()).text, /Stale:/);
    bff.show({}, { stale: true });
    const { text, structured } = await getPulse();
    assert.match(text, /^Stale: /m);
    assert.equal(structured?.['stale'], true);
  });

  it('attaches a chart of up to 750,000 bytes and links to a larger one', async () => {
    bff.cdn.answer = (_request, response) => void response.writeHead(200).end(pngOf(750_000));
    assert.equal((await getPulse()).image?.data.length, 1_000_000);
    bff.cdn.answer = (_request, response) => void response.writeHead(200).end(pngOf(750_001));
    bff.show();
    const { image, text, structured } = await getPulse();
    assert.equal(image, undefined);
    const chartUrl = String(structured?.['chartUrl']);
    assert.ok(text.includes(`Chart: ${chartUrl}\n`));
    assert.match(chartUrl, /\/v1\/sources\/src_1\/image\?run=run_1$/);
  });

  it('links to a chart that can’t be loaded', async () => {
    bff.cdn.answer = (_request, response) => void response.writeHead(500).end();
    const { image, isError } = await getPulse();
    assert.deepEqual([image, isError], [undefined, false]);
  });

  it('doesn’t request a chart for a pulse that has none', async () => {
    bff.show({ imageUrl: null });
    const before = bff.cdn.arrivals.length;
    assert.match((await getPulse()).text, /^Chart: none$/m);
    assert.equal(bff.cdn.arrivals.length, before);
  });
});

describe('get_pulse, with the fields that the BFF adds', () => {
  const answer = (pulse: object, source: object) => {
    const meta = { requestedAt: COMPLETED_AT, stale: false };
    const facts = { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue', ...source };
    const row = { sourceId: 'src_1', ok: true, meta, pulse: { ...pulseOf('src_1'), ...pulse }, source: facts };
    return connectToAnswer(() => Response.json({ meta, pulses: [row], news: 1 }));
  };

  it('returns the time at which a source became overdue', async () => {
    const rhythm = { usual: 'daily', overdueSince: COMPLETED_AT };
    const { text, structured } = await call(await answer({}, { rhythm }), 'get_pulse', { sourceId: 'src_1' });
    assert.match(text, /^Overdue since 2026-05-08T09:00:12\.000Z \(usually daily\)$/m);
    assert.deepEqual([structured?.['usual'], structured?.['overdueSince']], ['daily', COMPLETED_AT]);
  });

  it('reports that text is withheld', async () => {
    const withheld = { withheld: true, aiSummaryShort: null, aiSummaryLong: null };
    const { text, structured } = await call(await answer(withheld, {}), 'get_pulse', { sourceId: 'src_1' });
    assert.match(text, /^Withheld: /m);
    assert.deepEqual([structured?.['withheld'], structured?.['finding']], [true, null]);
  });

  it('doesn’t include text from a run that the BFF withholds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pulse-mcp-'));
    const file = join(folder, 'withheld');
    writeFileSync(file, 'run_1\n');
    await using upstream = await startTestUpstream();
    const running = createPulseBff({ ...upstream.variables, PULSE_WITHHELD_FILE: file }, { authorize: '*' });
    await using served = await serve(
      (request, response) => void running(request as never, response as never, () => {}),
    );
    const real = await connectTo({ bff: served.url });
    const { text, structured } = await call(real, 'get_pulse', { sourceId: 'src_1' });
    assert.match(text, /^Withheld: /m);
    assert.doesNotMatch(text, /Revenue/);
    assert.deepEqual([structured?.['withheld'], structured?.['analysis']], [true, null]);
    await running.close();
    rmSync(folder, { recursive: true });
  });

  it('links to the dashboard if the BFF exposes it', async () => {
    const link = 'https://dashboard.test/';
    const { text } = await call(await answer({}, { link }), 'get_pulse', { sourceId: 'src_1' });
    assert.match(text, /^Link: https:\/\/dashboard\.test\/$/m);
  });
});

describe('list_pulses', () => {
  it('lists each source with its finding, or explains why there is none', async () => {
    bff.show({ completedAt: COMPLETED_AT });
    const { text, structured } = await call(client, 'list_pulses');
    assert.match(text, /^Source src_1\n- Completed: 2026-05-08T09:00:12\.000Z \(3 days ago\)$/m);
    assert.ok(text.includes(`\n- Link: ${bff.url}/embed/src_1\n`), text);
    assert.match(text, /^Source src_bare\n- This source has no pulse yet\./m);
    assert.match(text, /^Finding from src_1 \(AI-generated\): Revenue/m);
    const rows = structured?.['pulses'] as readonly { sourceId: string; problem: string | null }[];
    assert.deepEqual(
      rows.map(({ sourceId, problem }) => [sourceId, problem === null]),
      [
        ['src_1', true],
        ['src_bare', false],
      ],
    );
  });

  it('reports that there are no sources', async () => {
    const empty = new FakeBff();
    const { text } = await call(await connectTo({ bff: 'https://pulse.test', fetch: empty.fetch }), 'list_pulses');
    assert.equal(text, 'There are no sources.');
  });
});

describe('A private BFF', () => {
  const readers = { anna: { pulses: [pulseOf('src_1')] } };
  const { fetch } = new FakeBff({ readers });
  const connectWith = (token?: string) =>
    connectTo({ bff: 'https://pulse.test', fetch, token: token === undefined ? undefined : async () => token });

  it('receives the token, and its responses don’t link to pages that wouldn’t open', async () => {
    const { text, isError } = await call(await connectWith(fakeToken({ sub: 'anna' })), 'get_pulse', {
      sourceId: 'src_1',
    });
    assert.equal(isError, false);
    assert.doesNotMatch(text, /^Link:/m);
  });

  it('T-96: can’t redirect the token to another server', async () => {
    await using other = await serve((_request, response) => void response.writeHead(200).end());
    const arrivals: string[] = [];
    await using moved = await serve((request, response) => {
      arrivals.push(request.headers.authorization ?? '');
      response.writeHead(307, { Location: `${other.url}${request.url}` }).end();
    });
    const client = await connectTo({ bff: moved.url, token: async () => 'a-token' });
    const { isError, text } = await call(client, 'get_pulse', { sourceId: 'src_1' });
    assert.ok(isError && text.includes("can't be reached"), text);
    assert.deepEqual(arrivals, ['Bearer a-token']);
  });

  it('rejects a missing or wrong token with an error that explains what to do', async () => {
    const missing = await call(await connectWith(), 'get_pulse', { sourceId: 'src_1' });
    assert.ok(missing.isError && missing.text.includes('--token-file'), missing.text);
    const wrong = await call(await connectWith(fakeToken({ sub: 'otto' })), 'get_pulse', { sourceId: 'src_1' });
    assert.ok(wrong.isError && wrong.text.includes('Renew it'), wrong.text);
    const other = await call(await connectWith(fakeToken({ sub: 'anna' })), 'get_pulse', { sourceId: 'src_2' });
    assert.ok(other.isError && other.text.includes('list_pulses'), other.text);
  });
});

describe('A failure in the BFF', () => {
  const SECRET = 'secret-token';
  const coded = (status: number, code: string, headers: Record<string, string> = {}) =>
    Response.json({ success: false, error: `text of the answer ${SECRET}`, code }, { status, headers });
  const failures: Readonly<Record<string, readonly [answer: () => Response | Promise<Response>, advice: RegExp]>> = {
    'an unknown source': [() => coded(404, 'source_unknown'), /Call list_pulses/],
    'too many requests': [() => coded(429, 'rate_limited', { 'Retry-After': '7' }), /Try again in 7 seconds/],
    'an outage': [() => coded(503, 'upstream_unavailable'), /can't get this pulse right now\. Try again in 30 seconds/],
    'no login': [() => coded(401, 'signed_out'), /signed in.*PULSE_ACCESS=token/],
    'a path that the BFF doesn’t have': [() => coded(404, 'not_found'), /Check that the URL is/],
    'an unknown code': [() => coded(500, '__proto__'), /Try again in 30 seconds/],
    'a login page': [() => new Response('<html>', { status: 401 }), /rejected the request/],
    'a failing proxy': [() => new Response('<html>', { status: 502 }), /Try again/],
    'another program': [() => Response.json({ hello: SECRET }), /isn't from a BFF/],
    'HTML instead of JSON': [() => new Response('<html>'), /isn't from a BFF/],
    'a long text': [() => new Response('x'.repeat(5_000_000)), /isn't from a BFF/],
    'no connection': [() => Promise.reject(new TypeError(`fetch failed ${SECRET}`)), /can't be reached/],
    'no answer': [() => Promise.reject(new DOMException('x', 'TimeoutError')), /within 10 seconds/],
  };
  for (const [title, [answer, advice]] of Object.entries(failures))
    it(`T-96: results in a tool error that explains what to do, without the token: ${title}`, async () => {
      const failing = await connectTo({
        bff: 'https://pulse.test',
        fetch: async () => answer(),
        token: async () => SECRET,
      });
      for (const tool of ['get_pulse', 'list_pulses']) {
        const { isError, text } = await call(failing, tool, tool === 'get_pulse' ? { sourceId: 'src_1' } : {});
        assert.equal(isError, true);
        assert.match(text, advice);
        assert.doesNotMatch(text, new RegExp(SECRET));
      }
    });

  it('results in a tool error if the BFF never responds', async () => {
    await using hanging = await serve(() => {});
    const waiting = await connectTo({ bff: hanging.url, timeoutMs: 50 });
    const { isError, text } = await call(waiting, 'list_pulses');
    assert.ok(isError && text.includes("didn't respond"), text);
  });

  it('results in a tool error if the ID is invalid', async () => {
    for (const sourceId of ['../admin', '', 'a/b', 'a'.repeat(129)]) {
      const { isError, text } = await call(client, 'get_pulse', { sourceId });
      assert.ok(isError && text.includes('sourceId'), text);
    }
  });
});
