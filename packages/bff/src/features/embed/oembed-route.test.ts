import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codedErrorBodySchema, errorBodySchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { cardWithPulse, hit } from '../../testing/fake-cache.ts';
import { serveApp } from '../../testing/served-app.ts';

const PUBLIC_URL = 'https://pulse.test';
const PAGE = `${PUBLIC_URL}/embed/src_1`;

const app = await serveApp({ PULSE_CLIENT_RATE: '0', PULSE_PUBLIC_URL: PUBLIC_URL });
after(() => app[Symbol.asyncDispose]());

const ask = (parameters: Record<string, string>, init?: RequestInit) =>
  fetch(`${app.url}/oembed?${new URLSearchParams(parameters)}`, init);
const answerTo = async (parameters: Record<string, string>) =>
  (await (await ask(parameters)).json()) as Record<string, string | number>;

describe('GET /oembed', () => {
  it('returns the HTML that embeds a page (oEmbed 1.0, rich)', async () => {
    assert.deepEqual(await answerTo({ url: PAGE }), {
      version: '1.0',
      type: 'rich',
      title: 'Q2 revenue',
      provider_name: 'Pulse Card',
      provider_url: PUBLIC_URL,
      cache_age: 15,
      thumbnail_url: 'https://cdn.acme.test/charts/run_1.png',
      thumbnail_width: 1600,
      thumbnail_height: 900,
      html: `<blockquote><p>Q2 revenue</p> <p>AI-generated</p> <p ai-disclosure="ai-autonomous">Revenue rose 12 % in the second quarter.</p> <p><a href="${PAGE}">Show the chart</a></p></blockquote>\n<iframe src="${PAGE}?theme=light" title="Q2 revenue" width="600" height="490" loading="lazy" frameborder="0" sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>`,
      width: 600,
      height: 490,
    });
  });

  for (const [asked, width, height, query] of [
    [{ maxwidth: '400' }, 400, 377, '?theme=light'],
    [{ maxwidth: '1200' }, 600, 490, '?theme=light'],
    [{ maxheight: '300' }, 600, 160, '?variant=compact&#38;theme=light'],
    [{ maxheight: '100' }, 600, 100, '?variant=compact&#38;theme=light'],
    [{ maxwidth: '200', maxheight: '350' }, 200, 265, '?theme=light'],
    [{ maxwidth: 'abc', maxheight: '-5' }, 600, 490, '?theme=light'],
    [{ maxwidth: '0', maxheight: '1e9' }, 600, 490, '?theme=light'],
  ] as const)
    it(`respects the size limits of the request: ${JSON.stringify(asked)}`, async () => {
      const answer = await answerTo({ url: PAGE, ...asked });
      assert.deepEqual([answer['width'], answer['height']], [width, height]);
      const frame = `src="${PAGE}${query}" title="Q2 revenue" width="${width}" height="${height}"`;
      assert.ok(String(answer['html']).includes(frame), String(answer['html']));
    });

  it('shows no thumbnail larger than allowed', async () => {
    const thumbnailIn = async (asked: object) => (await answerTo({ url: PAGE, ...asked }))['thumbnail_url'];
    assert.equal(await thumbnailIn({ maxwidth: '1599' }), undefined);
    assert.equal(await thumbnailIn({ maxheight: '899' }), undefined);
    assert.ok(await thumbnailIn({ maxwidth: '1600', maxheight: '900' }));
  });

  // The link opens a tab, which can detect whether the system is dark. A frame can't detect whether its page is dark.
  for (const [given, ofLink, ofFrame] of [
    ['variant=text&theme=dark&lang=de&evil=1', 'variant=text&#38;theme=dark&#38;lang=de', ''],
    [
      'chart-theme=auto&accent=5B3DF0.&font=serif&radius=9',
      'chart-theme=auto&#38;accent=5b3df0.&#38;font=serif',
      'theme=light&#38;',
    ],
  ] as const)
    it(`keeps the page’s look and known options, and drops unknown options: ${given}`, async () => {
      const { html } = await answerTo({ url: `${PAGE}?${given}&color=;}` });
      assert.ok(String(html).includes(`href="${PAGE}?${ofLink}"`));
      assert.ok(String(html).includes(`src="${PAGE}?${ofFrame}${ofLink}"`));
    });

  it('escapes a pulse’s text in the blockquote', async () => {
    const hostile = '</p></blockquote><script>alert(1)</script>';
    const lookup = hit({ ...cardWithPulse, pulse: { ...fullPulse, sourceName: hostile, aiSummaryShort: hostile } });
    app.cache.peeks.set('src_hostile', lookup);
    const { html } = await answerTo({ url: `${PUBLIC_URL}/embed/src_hostile` });
    assert.doesNotMatch(String(html), /<script|<\/blockquote>(?!\n<iframe)/);
  });

  it('responds with 501 for an unsupported format', async () => {
    const response = await ask({ url: PAGE, format: 'xml' });
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('Cache-Control'), 'no-store');
    assert.deepEqual(Object.keys(errorBodySchema.parse(await response.json())), ['success', 'error']);
    for (const format of ['json', '']) assert.equal((await ask({ url: PAGE, format })).status, 200);
  });

  for (const [url, status, code] of [
    ['', 400, 'invalid_source_id'],
    ['not an address', 404, 'not_found'],
    ['https://pulse.test.evil.test/embed/src_1', 404, 'not_found'],
    ['https://user@pulse.test/embed/src_1', 404, 'not_found'],
    ['http://pulse.test/embed/src_1', 404, 'not_found'],
    [`${PUBLIC_URL}/embed/`, 404, 'not_found'],
    [`${PUBLIC_URL}/embed/a/b`, 404, 'not_found'],
    [`${PUBLIC_URL}/embed/%3Cscript%3E`, 404, 'not_found'],
    [`${PUBLIC_URL}/embed/%ff`, 404, 'not_found'],
    ['javascript:alert(1)', 404, 'not_found'],
    [`${PUBLIC_URL}/embed/none`, 404, 'source_unknown'],
    [`${PUBLIC_URL}/embed/src_bare`, 404, 'pulse_not_found'],
  ] as const)
    it(`responds with ${status} ${code} to ${JSON.stringify(url)}, in the usual error format`, async () => {
      const response = await ask({ url });
      assert.equal(response.status, status);
      const body = codedErrorBodySchema.parse(await response.json());
      assert.equal(body.code, code);
      assert.doesNotMatch(body.error, /evil|script/);
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    });
});
