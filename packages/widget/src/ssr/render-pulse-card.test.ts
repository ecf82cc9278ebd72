import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elementsOf, type Manifest } from '../../build/manifest.ts';
import manifest from '../../custom-elements.json' with { type: 'json' };
import { BOMBS, PAYLOADS } from '../testing/hostile-texts.ts';
import { type PulseAnswer, renderPulseCard, STYLE_FILE } from './index.ts';

const pulse = {
  jobRunId: 'run_1',
  sourceId: 'src_1',
  sourceName: 'Q2 revenue',
  status: 'SUCCESS',
  completedAt: '2026-05-08T09:00:12.000Z',
  imageUrl: 'https://cdn.test/run_1.png?a=1&b=2',
  aiSummaryShort: 'Up **12 %**.',
  aiSummaryLong: 'Revenue rose.\n\n- Most: May',
};
const meta = { stale: false, requestedAt: '2026-05-08T09:30:00.000Z' };
const answer = { pulse, meta, source: { status: 'ACTIVE', name: 'Q2 revenue' } };
const options = { sourceId: 'src_1', baseUrl: 'https://pulse.test/' };

/** The options that aren't named after their attributes. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  lang: 'language',
  'data-public': 'isPublic',
  'defer-hydration': 'deferHydration',
};

/** The data in the page for the element. */
function dataIn(html: string): unknown {
  const [, json = 'null'] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json);
}

/** The chart's `<img>` tag. */
function chartIn(html: string): string {
  return /<img\s+part="image"[^>]*>/.exec(html)?.[0] ?? '';
}

describe('renderPulseCard()', () => {
  it('contains the source’s link if the BFF exposes it', () => {
    const link = 'https://dashboard.test/sources/src_1';
    const html = renderPulseCard(
      { ...answer, source: { ...answer.source, provider: 'GOOGLE', link } },
      { sourceId: 'src_1' },
    );
    assert.match(html, /<a href="https:\/\/dashboard\.test\/sources\/src_1" target="_blank"/);
    assert.match(html, /"provider":"GOOGLE","link":"https:/);
    assert.doesNotMatch(renderPulseCard(answer, { sourceId: 'src_1' }), /target=/);
  });

  it('shows the usual interval of an overdue source and includes it in the data', () => {
    const rhythm = { usual: 'daily', overdueSince: '2026-05-10T09:00:12.000Z' } as const;
    const now = Date.parse('2026-05-11T10:00:00.000Z');
    const html = renderPulseCard(
      { pulse, meta: { stale: false }, source: { ...answer.source, rhythm } },
      { ...options, now },
    );
    assert.match(html, /part="status" class="overdue" lang="en"\s+title="Overdue · 3 days ago · usually daily"/);
    assert.match(html, />3 days ago<span lang="en"> · usually daily<\/span><\/time>/);
    assert.match(html, /"rhythm":\{"usual":"daily","overdueSince":"2026-05-10T09:00:12\.000Z"\}/);
  });

  it('says that the text was withheld, without an AI label', () => {
    const withheld = { ...pulse, aiSummaryShort: null, aiSummaryLong: null, withheld: true };
    const html = renderPulseCard({ ...answer, pulse: withheld }, options);
    assert.match(html, /<p id="finding" lang="en"\s*>The text was withheld by this site\.<\/p>/);
    assert.doesNotMatch(html, /AI-generated|part="toggle"|ai-disclosure/);
    assert.match(html, /"withheld":true/);
  });

  it('marks each AI-generated text in a machine-readable way', () => {
    const html = renderPulseCard(answer, options);
    assert.equal(html.match(/ai-disclosure="ai-autonomous"/g)?.length, 2);
    assert.match(renderPulseCard(answer, { ...options, variant: 'chart' }), /<p id="finding"[^>]* ai-disclosure=/);
    const bare = { ...pulse, imageUrl: null };
    assert.match(renderPulseCard({ ...answer, pulse: bare }, options), /<div part="lead"[^>]* ai-disclosure=/);
  });

  it('shows the date of an earlier run opened by its permalink, and embeds no data', () => {
    const year = new Date().getUTCFullYear();
    const rhythm = { usual: 'daily', overdueSince: `${year}-05-20T09:00:12.000Z` } as const;
    const run = { ...pulse, completedAt: `${year}-05-12T09:00:12.000Z` };
    const source = { ...answer.source, status: 'BROKEN', rhythm };
    const html = renderPulseCard(
      { pulse: run, meta: { ...meta, stale: true }, source },
      { ...options, isVersion: true },
    );
    assert.match(html, /part="status" class="version" lang="en"\s+title="Version of May 12 · /);
    assert.doesNotMatch(html, /source-id|<script|part="enlarge"|usually|Overdue|Earlier version|Updates paused/);
  });

  for (const [completedAt, language, words] of [
    ['2024-05-12T09:00:12.000Z', 'en', 'Version of May 12, 2024'],
    ['2024-05-12T09:00:12.000Z', 'de', 'Version vom 12. Mai 2024'],
    ['2024-05-12T09:00:12.000Z', 'ja', '2024年5月12日のバージョン'],
    [null, 'en', 'Earlier version'],
  ] as const)
    it(`includes the year of a version only if it isn’t the current year: ${words}`, () => {
      const html = renderPulseCard(
        { ...answer, pulse: { ...pulse, completedAt } },
        { ...options, language, isVersion: true },
      );
      assert.ok(html.includes(`<span>${words}</span>`), html);
    });

  it('shows the reviewer only for the reviewed run', () => {
    const review = { ...options, aiReviewedBy: 'Ada' };
    const html = renderPulseCard(answer, { ...review, aiReviewedRun: 'run_0 run_1' });
    assert.match(html, />AI-generated, reviewed by Ada</);
    assert.match(html, / ai-reviewed-by="Ada" ai-reviewed-run="run_0 run_1"/);
    for (const aiReviewedRun of ['run_0', 'run_10', ''])
      assert.doesNotMatch(renderPulseCard(answer, { ...review, aiReviewedRun }), />AI-generated, reviewed/);
    assert.doesNotMatch(renderPulseCard(answer, review), />AI-generated, reviewed/);
  });

  it('runs without a browser', () => assert.equal(typeof document, 'undefined'));

  it('returns an element with a shadow root, a linked style sheet, and embedded data', () => {
    const html = renderPulseCard(answer, options);
    assert.match(
      html,
      /^<pulse-card source-id="src_1" base-url="https:\/\/pulse.test\/"><template shadowrootmode="open">/,
    );
    assert.match(
      html,
      new RegExp(`<link rel="stylesheet" href="https://pulse.test/${STYLE_FILE}"><article\\s+part="base"`),
    );
    assert.ok(html.includes('>Up <strong>12 %</strong>.</span>'));
    assert.match(
      html,
      /<details\s*>\s*<summary part="toggle" lang="en" aria-describedby="name">Read the analysis<\/summary>/,
    );
    assert.ok(html.endsWith('</script></pulse-card>'));
    assert.deepEqual(dataIn(html), {
      sourceId: 'src_1',
      ok: true,
      meta,
      pulse,
      source: { status: 'ACTIVE', name: 'Q2 revenue' },
    });
  });

  it('has no inline styles, inline scripts, or hydration markers', () => {
    assert.doesNotMatch(
      renderPulseCard(answer, options),
      / style=| on\w+=|<style|<script(?! type="application\/json")|<!--|<\?/,
    );
  });

  it('loads the chart immediately, because a lazy chart would wait for the style sheet', () =>
    assert.match(chartIn(renderPulseCard(answer, options)), /^<img(?!.*loading)/s));
  it('loads the chart lazily if the card is lazy', () =>
    assert.match(chartIn(renderPulseCard(answer, { ...options, loading: 'lazy' })), /loading="lazy"/));

  it('shows the time zone', () => {
    assert.match(renderPulseCard(answer, options), /<time [^>]*title="May 8, 2026 at 9:00 AM UTC"/);
  });

  it('shows a date that is short enough to leave room for the name', () => {
    assert.ok(renderPulseCard(answer, options).includes('>May 8, 2026, UTC</time>'));
  });

  it('shows relative times if the caller passes the current time', () => {
    const now = Date.parse('2026-05-08T11:30:00.000Z');
    assert.ok(renderPulseCard(answer, { ...options, now }).includes('>2 hours ago</time>'));
  });

  it('marks stale content', () => {
    assert.ok(renderPulseCard({ ...answer, meta: { stale: true } }, options).includes('Earlier version</span>'));
  });

  it('uses the given language and contains its messages', () => {
    const html = renderPulseCard(answer, { ...options, language: 'de-AT' });
    assert.ok(html.includes(' lang="de-AT"'));
    assert.ok(html.includes('>Analyse lesen</summary>'));
    const { translation } = dataIn(html) as { translation: { language: string; messages: { retry: string } } };
    assert.deepEqual([translation.language, translation.messages.retry], ['de-AT', 'Erneut versuchen']);
  });

  for (const [language, lang, toggle] of [
    ['de_DE.UTF-8', 'de-DE', 'Analyse lesen'],
    ['pt_BR', 'pt-BR', 'Ler a análise'],
    ['iw', 'he', 'קריאת הניתוח'],
    ['sr_Latn_RS', 'sr-Latn-RS', 'Read the analysis'],
    ['POSIX', 'en', 'Read the analysis'],
    ['x'.repeat(300), 'en', 'Read the analysis'],
  ] as const)
    it(`reads the language ${language.slice(0, 20)}`, () => {
      assert.doesNotThrow(() => renderPulseCard(answer, { ...options, language }));
      const html = renderPulseCard(answer, { ...options, language });
      assert.match(html, new RegExp(`^<pulse-card [^>]* lang="${lang}"`));
      assert.ok(html.includes(`>${toggle}</summary>`), html);
    });

  it('uses Traditional Chinese for Taiwan', () => {
    assert.ok(renderPulseCard(answer, { ...options, language: 'zh-TW' }).includes('>閱讀分析</summary>'));
  });

  it('marks its text as English if there is no translation', () => {
    const html = renderPulseCard(answer, { ...options, language: 'cs' });
    assert.match(html, /^<pulse-card [^>]*lang="cs"/);
    assert.ok(html.includes('<summary part="toggle" lang="en" aria-describedby="name">Read the analysis'));
  });

  it('has an option for each of the element’s attributes except the token', () => {
    const card = elementsOf(manifest as Manifest).find(({ tagName }) => tagName === 'pulse-card');
    const attributes = card?.attributes?.filter(({ name }) => name !== 'token') ?? [];
    const given = attributes.map(({ name = '', fieldName = name, type }) => {
      const kind = type?.text ?? 'string';
      // The last choice is never the default, which isn't written.
      const value = kind === 'boolean' || (kind === 'number' ? 2 : (kind.split("'").at(-2) ?? 'de'));
      return [OTHER_NAMES[name] ?? fieldName, value];
    });
    const html = renderPulseCard(answer, { ...options, ...Object.fromEntries(given) });
    const [tag = ''] = /<pulse-card[^>]*>/.exec(html) ?? [];
    assert.deepEqual(
      attributes.filter(({ name }) => !tag.includes(` ${name}="`)),
      [],
    );
    assert.ok(attributes.length > 10);
  });

  it('writes the options as the element’s attributes', () => {
    const html = renderPulseCard(answer, { ...options, variant: 'text', theme: 'dark', headingLevel: 5, open: true });
    assert.match(html, /variant="text" theme="dark" heading-level="5" open=""/);
    assert.match(html, /aria-level="5"/);
    assert.match(html, /<details open/);
    assert.doesNotMatch(html, /<img/);
  });

  it('uses heading level 3 unless the level is from 2 to 6', () => {
    const levelFor = (headingLevel: number) =>
      / aria-level="(\d)"/.exec(renderPulseCard(answer, { ...options, headingLevel }))?.[1];
    assert.deepEqual([1, 1.5, 2, 6, 7, NaN].map(levelFor), ['3', '3', '2', '6', '3', '3']);
  });

  it('shows the label if the response has no name', () => {
    const html = renderPulseCard({ code: 'upstream_unavailable' }, { ...options, label: 'Q2 <revenue>' });
    assert.match(html, / label="Q2 &#60;revenue&#62;"/);
    assert.ok(html.includes('>Q2 &lt;revenue&gt;</div></slot></div>'));
  });

  it('doesn’t write null, as from a database, as the name of a reviewer or as a label', () => {
    const nothing = { aiReviewedBy: null, label: null } as object;
    assert.doesNotMatch(renderPulseCard(answer, { ...options, ...nothing }), /"null"/);
  });

  it('omits the data if the element should request it itself', () => {
    assert.doesNotMatch(renderPulseCard(answer, { ...options, embedData: false }), /application\/json/);
  });

  it('contains only the name when loading="click"', () => {
    const html = renderPulseCard(answer, { ...options, loading: 'click', label: 'Ours', variant: 'chart' });
    assert.match(html, /^<pulse-card source-id="src_1" [^>]*variant="chart"[^>]* label="Q2 revenue" loading="click">/);
    assert.match(html, /<text[^>]*>Q2 revenue /);
    assert.doesNotMatch(html, /<(template|link|script|img|a)\b|Up |rose/);
    assert.match(
      renderPulseCard({ code: 'internal' }, { ...options, loading: 'click', label: 'Ours' }),
      /label="Ours"/,
    );
  });

  it('omits the label attribute when loading="click" if no name is known', () => {
    const html = renderPulseCard({ code: 'internal' }, { ...options, loading: 'click' });
    assert.doesNotMatch(html, / label=/);
    assert.match(html, /<text[^>]*>Chart /);
  });

  it('writes only a pulse’s own fields into the page', () => {
    const more = { ...answer, pulse: { ...pulse, account: { email: 'owner@acme.test' }, toJSON: 'x' } };
    assert.doesNotMatch(renderPulseCard(more, options), /owner@|toJSON/);
  });

  for (const [code, variant] of [
    ['source_unknown', 'text'],
    ['token_forbidden', undefined],
    ['pulse_not_found', undefined],
    ['upstream_unavailable', undefined],
  ] as const)
    it(`has the ${variant ?? 'card'} variant’s height when the response is ${code}`, () => {
      const html = renderPulseCard({ code }, { ...options, variant: 'card' });
      assert.equal(/<pulse-card[^>]* variant="(\w+)"/.exec(html)?.[1], variant);
      assert.match(html, new RegExp(`class="base ${variant ?? 'card'} `));
    });

  for (const [code, text] of [
    ['pulse_not_found', 'No chart yet.'],
    ['source_unknown', 'Chart not found.'],
    ['upstream_unavailable', 'This chart can’t be shown right now.'],
    ['token_forbidden', 'You don’t have access to this chart.'],
    ['rate_limited', 'This chart can’t be shown right now.'],
  ] as const) {
    it(`shows "${text}" for ${code}`, () => assert.ok(renderPulseCard({ code }, options).includes(text)));
  }

  it('marks a card as public or deferred only if the options say so', () => {
    const tagOf = (more: object) =>
      /^<pulse-card[^>]*>/.exec(renderPulseCard(answer, { ...options, ...more }))?.[0] ?? '';
    assert.doesNotMatch(tagOf({}), /data-public|defer-hydration/);
    assert.match(tagOf({ isPublic: true }), / data-public=""/);
    assert.match(tagOf({ deferHydration: true }), / defer-hydration=""/);
  });

  it('shows an error without embedded data for an invalid pulse, and for JSON that isn’t from a BFF', () => {
    const broken = [{}, { ...pulse, jobRunId: 7 }, { ...pulse, sourceId: '<' }, null].map((each) => ({ pulse: each }));
    for (const body of [...broken, null, 'Bad Gateway', { message: 'Forbidden' }]) {
      const html = renderPulseCard(body as PulseAnswer, options);
      assert.ok(html.includes('This chart can’t be shown right now.'));
      assert.equal(dataIn(html), null);
    }
  });

  for (const payload of PAYLOADS) {
    it(`doesn’t let text break out of its place: ${JSON.stringify(payload).slice(0, 60)}`, () => {
      const fields = { sourceName: payload, aiSummaryShort: payload, aiSummaryLong: `${payload}\n\n- ${payload}` };
      const html = renderPulseCard(
        { pulse: { ...pulse, ...fields }, source: { status: payload, name: payload } },
        { ...options, baseUrl: payload },
      );
      assert.equal(html.match(/<\/template>/g)?.length, 1);
      assert.equal(html.match(/<script/g)?.length, 1);
      assert.equal(html.match(/<\/script>/g)?.length, 1);
      const elements = html.match(/<[a-z-]+/g) ?? [];
      const plain = renderPulseCard(answer, { ...options, open: true }).match(/<[a-z-]+/g) ?? [];
      const known = new Set([...plain, '<em', '<code', '<ol', '<small', '<slot', '<a']);
      assert.deepEqual(
        elements.filter((element) => !known.has(element)),
        [],
      );
      for (const [link] of html.matchAll(/<a\b[^>]*>/g))
        assert.match(link, /^<a href="https:\/\/trap\.invalid[^"]*" target="_blank" rel="nofollow noopener">$/);
    });
  }

  for (const [what, bomb] of Object.entries(BOMBS)) {
    it(`has a length proportional to its text’s length: ${what}`, () => {
      const html = renderPulseCard({ pulse: { ...pulse, aiSummaryLong: bomb } }, options);
      assert.ok(html.length < 4_000 + 24 * bomb.length);
    });
  }
});

describe('STYLE_FILE', () => {
  it('has a name that is derived from its content', () => assert.match(STYLE_FILE, /^pulse-card-[0-9a-f]{16}\.css$/));
});
