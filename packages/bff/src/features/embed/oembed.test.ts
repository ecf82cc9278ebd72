import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { FRAME_WIDTH_PX, frameHeightPx } from '@pulse-card/widget/snippet';
import { cardWithPulse, hit, serveApp } from '../../testing/served-app.ts';

const PUBLIC_URL = 'https://pulse.test/charts';
const PAGE = `${PUBLIC_URL}/embed/src_1`;

let app: Awaited<ReturnType<typeof serveApp>>;
before(
  async () => (app = await serveApp({ PULSE_PUBLIC_URL: PUBLIC_URL, PULSE_ALLOWED_ORIGINS: 'https://elsewhere.test' })),
);
after(() => app[Symbol.asyncDispose]());

async function ask(query: Readonly<Record<string, string>>) {
  const { status, text } = await app.ask(`/oembed?${new URLSearchParams(query)}`);
  return { status, json: JSON.parse(text) as Readonly<Record<string, unknown>> };
}

async function answerTo(query: Readonly<Record<string, string>> = {}) {
  const { status, json } = await ask({ url: PAGE, ...query });
  assert.equal(status, 200);
  return json;
}

/** The chart's URL in a response, and its size. */
function thumbnailOf({ thumbnail_url, thumbnail_width, thumbnail_height }: Readonly<Record<string, unknown>>) {
  return [thumbnail_url, thumbnail_width, thumbnail_height];
}

const CHART = [fullPulse.imageUrl, 1_600, 900];
const NO_CHART = [undefined, undefined, undefined];

describe('GET /oembed', () => {
  it('describes a frame with the fields that consumers require', async () => {
    await fetch(`${app.url}/embed/src_1`);
    const { html: _html, ...facts } = await answerTo();
    assert.deepEqual(facts, {
      version: '1.0',
      type: 'rich',
      title: fullPulse.sourceName,
      provider_name: 'Pulse Card',
      provider_url: PUBLIC_URL,
      cache_age: 15,
      thumbnail_url: fullPulse.imageUrl,
      thumbnail_width: 1_600,
      thumbnail_height: 900,
      width: FRAME_WIDTH_PX,
      height: frameHeightPx(FRAME_WIDTH_PX),
    });
  });

  it('contains a quote with the name, label, finding, and link, followed by the frame', async () => {
    const { html } = await answerTo();
    const [quote = '', frame = '', ...more] = String(html).split('\n');
    assert.match(
      quote,
      /^<blockquote><p>Q2 revenue<\/p> <p>AI-generated<\/p> <p[^>]*>Revenue rose 12% in the second quarter\.<\/p> <p><a href="https:\/\/pulse\.test\/charts\/embed\/src_1[^"]*">[^<]+<\/a><\/p><\/blockquote>$/,
    );
    assert.match(frame, /^<iframe [^>]*src="https:\/\/pulse\.test\/charts\/embed\/src_1[^"]*"[^>]*><\/iframe>$/);
    assert.deepEqual(more, []);
  });

  it('escapes what the service sends', async (t) => {
    const aiSummaryShort = '</blockquote><script>alert(1)</script>';
    const pulse = { ...fullPulse, sourceName: '<b>"A"&B', aiSummaryShort, imageUrl: null };
    app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse, source: null }));
    t.after(() => app.pulses.found.set('src_1', hit(cardWithPulse)));
    const { html, ...facts } = await answerTo();
    assert.deepEqual(thumbnailOf(facts), NO_CHART);
    assert.doesNotMatch(String(html), /<script|<b>|<\/blockquote>.*<\/blockquote>/s);
    assert.match(String(html), /&#60;b&#62;/);
  });

  it('stays within the maximum size and omits a chart that doesn’t fit', async () => {
    const narrow = await answerTo({ maxwidth: '320' });
    assert.deepEqual([narrow['width'], narrow['height']], [320, frameHeightPx(320)]);
    assert.match(String(narrow['html']), /width[=:]\s?"?320\b/);
    assert.deepEqual(thumbnailOf(narrow), NO_CHART);
    assert.deepEqual(thumbnailOf(await answerTo({ maxwidth: '1600', maxheight: '900' })), CHART);
    assert.deepEqual(thumbnailOf(await answerTo({ maxwidth: '1599' })), NO_CHART);
    assert.deepEqual(thumbnailOf(await answerTo({ maxheight: '899' })), NO_CHART);
    for (const maxwidth of ['', '0', '-5', '1e3', '320.5', 'x'])
      assert.equal((await answerTo({ maxwidth }))['width'], FRAME_WIDTH_PX, maxwidth);
  });

  it('accepts an encoded source ID', async () => {
    const { html } = await answerTo({ url: `${PUBLIC_URL}/embed/src%5F1` });
    assert.match(String(html), /embed\/src_1/);
  });

  it('chooses the compact layout if the card is too tall', async () => {
    const compact = await answerTo({ maxheight: '250' });
    assert.match(String(compact['html']), /variant=compact/);
    assert.ok(Number(compact['height']) <= 250);
  });

  for (const url of [
    'https://elsewhere.test/charts/embed/src_1',
    'http://pulse.test/charts/embed/src_1',
    'https://pulse.test/embed/src_1',
    `${PUBLIC_URL}/v1/sources/src_1/pulse`,
    `${PUBLIC_URL}/embed/`,
    `${PUBLIC_URL}/embed/src_1/more`,
    `${PUBLIC_URL}/embed/%zz`,
    PAGE.replace('//', '//user:secret@'),
    'src_1',
  ])
    it(`responds with 404 to ${url}`, async () => {
      const { status, json } = await ask({ url });
      assert.deepEqual([status, json['code']], [404, 'not_found']);
    });

  it('responds with 404 if the source is unknown or has no pulse', async () => {
    for (const [id, code] of [
      ['src_unknown', 'source_unknown'],
      ['src_bare', 'pulse_not_found'],
    ]) {
      const { status, json } = await ask({ url: `${PUBLIC_URL}/embed/${id}` });
      assert.deepEqual([status, json['code']], [404, code]);
    }
  });

  it('responds with 400 if there’s no URL, and with 501 to any format except JSON', async () => {
    assert.equal((await ask({})).status, 400);
    for (const format of ['json', '']) assert.equal((await ask({ url: PAGE, format })).status, 200);
    const { status, json } = await ask({ url: PAGE, format: 'xml' });
    assert.deepEqual([status, json['success'], json['code']], [501, false, 'bad_request']);
  });
});
