import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { type MintingKey, mintToken, parseTokenKeys } from '@pulse-card/token';
import { type Diagnosis, diagnose } from './diagnose.ts';
import type { DoctorSettings, PageFault } from './facts.ts';
import { brokenPages, goodPage, type PageFixture, type Places } from './testing/broken-pages.ts';
import { fetched, settings } from './testing/facts.ts';

const invented: Places = {
  bff: 'https://pulse.test',
  page: 'https://www.page.test',
  charts: 'https://cdn.acme.test',
  sourceId: 'src_1',
};

const KEY: MintingKey = { kid: 'shared', secret: 'canary-secret-of-32-bytes-and-more' };
const tokenKeys = await parseTokenKeys(JSON.stringify([KEY]));

/** The issues found on a page that `invented.page` serves. */
function found({ html, headers, variable }: PageFixture, more: Partial<DoctorSettings> = {}, token?: string) {
  const allowedOrigins = variable.replace('PULSE_ALLOWED_ORIGINS=', '').split(',');
  const page = fetched(html, { policy: headers['Content-Security-Policy'] });
  return diagnose(page, { ...settings, allowedOrigins, ...more }, token);
}

const codesOf = ({ findings }: Diagnosis): string[] => findings.map(({ code }) => code);
const textsOf = ({ findings }: Diagnosis) => findings.map(({ code, fix }) => [code, fix]);

const tagOf = (base: string) => `<script type="module" src="${base}/pulse-card.js"></script>`;

const cardWith = (url: string, base = '') =>
  `${tagOf(base)}<pulse-card source-id="src_1" base-url="${url}"></pulse-card>`;
const scriptWith = (url: string) =>
  `<script type="module" src="${url}"></script><pulse-card source-id="src_1"></pulse-card>`;
const frameWith = (url: string) => `<iframe src="${url}"></iframe>`;

/** A page with this policy and a different script tag. */
const pageUnder = (policy: string, script = tagOf(invented.bff)): PageFixture => ({
  ...goodPage(invented, { script }),
  headers: { 'Content-Security-Policy': policy },
});

describe('diagnose()', () => {
  it('reads a source ID that is also the name of a property of every object', async () => {
    const diagnosis = await found(goodPage({ ...invented, sourceId: 'constructor' }));
    assert.deepEqual(codesOf(diagnosis), ['source_unknown']);
  });

  it('finds nothing wrong on a correct page with a strict policy', async () => {
    const page = { url: 'https://www.page.test/report', origin: 'https://www.page.test', wasRead: true };
    assert.deepEqual(await found(goodPage(invented)), {
      ok: true,
      page: { ...page, cards: 1 },
      originAllowed: true,
      findings: [],
      token: null,
    });
  });

  for (const { what, code, fix, page, mended } of brokenPages) {
    it(`finds only ${what}, and nothing once the suggested line is applied`, async () => {
      const diagnosis = await found(page(invented));
      assert.deepEqual(textsOf(diagnosis), [[code, fix(invented)]]);
      assert.deepEqual(codesOf(await found(mended(invented, fix(invented)))), []);
    });
  }

  it('checks each policy on a page, whether in a header or a tag', async () => {
    const page = pageUnder("connect-src 'self', img-src 'self'");
    const meta = `<meta http-equiv="content-security-policy" content="script-src 'self'">`;
    const html = page.html.replace('<head>', `<head>${meta}`);
    const { findings } = await found({ ...page, html });
    const places = findings.map(({ code, detail }) => [code, /header|<meta>/.exec(detail)?.[0]]);
    assert.deepEqual(places, [
      ['csp_connect', 'header'],
      ['csp_image', 'header'],
      ['csp_script', '<meta>'],
    ]);
  });

  it('suggests the nonce if only nonces count', async () => {
    const policy = "script-src 'strict-dynamic' 'nonce-abc' https:";
    const diagnosis = await found(pageUnder(policy));
    assert.deepEqual(codesOf(diagnosis), ['csp_script']);
    const tag = diagnosis.findings[0]?.fix.replace('this response’s nonce', 'abc');
    assert.deepEqual(codesOf(await found(pageUnder(policy, tag))), []);
  });

  for (const [base, publicUrl, code, fix] of [
    ['http://localhost:4020', 'https://pulse.test', 'bff_on_loopback', tagOf('https://pulse.test')],
    ['http://pulse.test', 'http://pulse.test', 'mixed_content', tagOf('https://pulse.test')],
    ['https://other.test', 'https://pulse.test', 'other_bff', tagOf('https://pulse.test')],
    ['https://pulse.test', 'http://pulse.test', 'other_bff', tagOf('http://pulse.test')],
    ['https://pulse.test', 'http://localhost:4020', 'other_bff', 'PULSE_PUBLIC_URL=https://pulse.test'],
    ['https://pulse.test/v1', 'http://localhost:4020', 'other_bff', 'PULSE_PUBLIC_URL=https://pulse.test'],
    ['https://pulse.test', 'https://pulse.test/cards', 'other_bff', tagOf('https://pulse.test/cards')],
  ] as const)
    it(`finds ${code} if the page uses ${base} and the BFF is ${publicUrl}`, async () => {
      const diagnosis = await found(pageUnder('', tagOf(base)), { publicUrl });
      assert.deepEqual(textsOf(diagnosis), [[code, fix]]);
    });

  it('says which sources the BFF can’t show, and which it doesn’t show because the list fails', async () => {
    const titles = async (html: string, more: Partial<DoctorSettings>) =>
      (await diagnose(fetched(html), { ...settings, ...more })).findings.map(({ title }) => title);
    const cards = `${tagOf(invented.bff)}<pulse-card source-id="src_1"></pulse-card><pulse-card source-id="src_2"></pulse-card>`;
    const listFailure = 'upstream_auth';
    const reported = (ids: string) => [`The BFF responds with upstream_auth for ${ids}.`];
    const unlisted = { knownIds: undefined, failures: new Map([['src_1', undefined]]), listFailure };
    assert.deepEqual(await titles(cards, unlisted), reported('src_2'));
    const listed = { knownIds: ['src_1', 'src_2'], failures: new Map([['src_1', 'upstream_auth']]), listFailure };
    assert.deepEqual(await titles(cards, listed), reported('src_1'));
    const board = `${tagOf(invented.bff).replace('card', 'board')}<pulse-board></pulse-board>`;
    assert.deepEqual(await titles(board, listed), reported('the list of sources'));
    const unnamed = `${tagOf(invented.bff)}<pulse-card></pulse-card>`;
    const misses = ['A <pulse-card> doesn’t name a source.'];
    assert.deepEqual(await titles(unnamed, listed), misses, 'the key might not be allowed to read the list');
    const limited = ['The BFF responds with rate_limited for the list of sources.', ...misses];
    assert.deepEqual(await titles(unnamed, { listFailure: 'rate_limited' }), limited);
  });

  it('knows the names of the BFF’s scripts', async () => {
    for (const [name, titles] of [
      ['pulse-cards', ['The BFF responds with 404 for https://pulse.test/pulse-cards.js.']],
      ['pulse-card-0123456789abcdef', []],
    ] as const) {
      const script = tagOf(invented.bff).replace('pulse-card', name);
      const { findings } = await found(goodPage(invented, { script }));
      assert.deepEqual(
        findings.map(({ title }) => title),
        titles,
      );
    }
  });

  for (const [code, fix] of [
    ['rate_limited', /^Wait a minute/],
    ['internal', /in the BFF’s log$/],
    ['token_forbidden', /^Add the IDs to the token/],
    ['token_invalid', /^pulse-bff token mint /],
    ['upstream_auth', /run the check command of pulse-bff$/],
  ] as const)
    it(`suggests a fix for ${code}`, async () => {
      const { findings } = await found(goodPage(invented), { failures: new Map([['src_1', code]]) });
      assert.match(findings[0]?.fix ?? '', fix);
      // The log has a line about the service's failures.
      assert.equal(/ log /.test(findings[0]?.detail ?? ''), code === 'upstream_auth');
    });

  for (const [what, rest, codes] of [
    ['has no end tag', '', ['tag_not_closed']],
    [
      'has the end tag of a later script',
      '<pulse-card source-id="src_1"></pulse-card><script></script>',
      ['tag_not_closed'],
    ],
    ['has an end tag', '\n</script><pulse-card source-id="src_1"></pulse-card>', []],
  ] as const)
    it(`finds ${codes.join() || 'nothing'} if a script ends with a slash and ${what}`, async () => {
      const script = '<script type="module" src="https://pulse.test/pulse-card.js" />';
      assert.deepEqual(
        textsOf(await diagnose(fetched(script + rest), settings)),
        codes.map((code) => [code, tagOf(invented.bff)]),
      );
    });

  it('finds an iframe whose URL ends with a slash', async () => {
    const diagnosis = await diagnose(fetched(frameWith('https://pulse.test/embed/src_1/?theme=light')), settings);
    assert.deepEqual(textsOf(diagnosis), [['source_unknown', 'src="https://pulse.test/embed/src_1?theme=light"']]);
  });

  it('reads http: URLs as https: if the page upgrades insecure requests, except on this machine', async () => {
    for (const [base, codes] of [
      ['http://pulse.test', []],
      ['http://localhost:4020', ['bff_on_loopback']],
    ] as const)
      assert.deepEqual(codesOf(await found(pageUnder('upgrade-insecure-requests', tagOf(base)))), codes);
  });

  it('reads a page in UTF-16', async () => {
    const { html } = goodPage(invented);
    const body = Buffer.from(`\ufeff${html}`, 'utf16le');
    for (const bytes of [body, Buffer.from(body).swap16()])
      assert.equal((await diagnose(fetched('', { body: bytes }), settings)).page.cards, 1);
  });

  for (const [url, right, html] of [
    ['localhost:4020', 'http://localhost:4020', cardWith],
    ['127.0.0.1:4020/', 'http://127.0.0.1:4020', cardWith],
    ['pulse.test', 'https://pulse.test', cardWith],
    ['pulse.test:8443/cards', 'https://pulse.test:8443/cards', cardWith],
    ['mailto:x@y.z', 'https://pulse.test', cardWith],
    ['http://', 'https://pulse.test', cardWith],
    ['localhost:4020/pulse-card.js', 'http://localhost:4020/pulse-card.js', scriptWith],
    ['pulse.test/embed/src_1', 'https://pulse.test/embed/src_1', frameWith],
  ] as const)
    it(`corrects the URL ${url} in ${html('…')}`, async () => {
      const publicUrl = right.replace(/\/(?:pulse-card\.js|embed\/src_1)$/, '');
      const local = { ...settings, publicUrl, allowedOrigins: '*' } as const;
      const diagnosed = async (value: string) =>
        textsOf(await diagnose(fetched(html(value, publicUrl), { url: 'http://localhost:8080/' }), local));
      const name = html === cardWith ? 'base-url' : 'src';
      assert.deepEqual(await diagnosed(url), [['url_wrong', `${name}="${right}"`]]);
      assert.deepEqual(await diagnosed(right), []);
    });

  for (const [url, right] of [
    ['localhost', 'http://localhost'],
    ['10.0.0.5/cards', 'https://10.0.0.5/cards'],
    ['cards.test:8443', 'https://cards.test:8443'],
  ] as const)
    it(`recognizes the host in ${url}, even if it isn’t this BFF’s`, async () => {
      const diagnosis = await found({ ...goodPage(invented), headers: {}, html: cardWith(url, invented.bff) });
      assert.deepEqual(textsOf(diagnosis)[0], ['url_wrong', `base-url="${right}"`]);
    });

  for (const folder of ['pulse-card-1.2.0', 'cards.v2'])
    it(`reads ${folder}/ as a path, because a folder’s name can contain dots`, async () => {
      const publicUrl = `https://www.page.test/${folder}`;
      const pages = [
        scriptWith(`${folder}/pulse-card.js`),
        cardWith(folder, publicUrl),
        frameWith(`${folder}/embed/src_1`),
      ];
      for (const html of pages)
        assert.deepEqual(codesOf(await diagnose(fetched(html), { ...settings, publicUrl })), [], html);
    });

  it('diagnoses a page with any URLs', async () => {
    const word = fc.constantFrom(
      'http:',
      'https:',
      'data:',
      'x:',
      '//',
      '/',
      '[',
      ':',
      '@',
      '%',
      'a.test',
      'v1',
      'embed',
    );
    const url = fc.oneof(
      fc.array(word).map((words) => words.join('')),
      fc.string(),
      fc.webUrl(),
    );
    const check = fc.asyncProperty(fc.array(url, { minLength: 7, maxLength: 7 }), async (urls) => {
      const [base = '', script, src, baseUrl, image, frame, delayed] = urls.map((each) =>
        each.replaceAll('"', '&quot;'),
      );
      const html = `<base href="${base}"><script type="module" src="${script}/pulse-card.js"></script><script src="${src}">
        </script><pulse-card source-id="src_1" base-url="${baseUrl}"><img src="${image}"></pulse-card><pulse-board>
        <script type="x" data-src="${delayed}"></script><iframe src="${frame}"></iframe>`;
      assert.equal((await diagnose(fetched(html, { policy: "default-src 'self'" }), settings)).page.wasRead, true);
    });
    await fc.assert(check);
  });

  it('treats all names for this machine as the same BFF', async () => {
    const html = `${tagOf('http://127.0.0.1:4020')}<pulse-card source-id="src_1"></pulse-card>`;
    const local = { ...settings, publicUrl: 'http://localhost:4020', allowedOrigins: '*' } as const;
    assert.deepEqual(codesOf(await diagnose(fetched(html, { url: 'https://localhost:8080/' }), local)), []);
  });

  it('finds nothing wrong with a frame and the classic script that sizes it, or with a script from another server', async () => {
    const script = '<script src="https://pulse.test/pulse-frame.js"></script>';
    const html = `${script}<iframe src="https://pulse.test/embed/src_1"></iframe>`;
    assert.deepEqual(codesOf(await diagnose(fetched(html), settings)), []);
    const based = `${tagOf('https://cdn.test')}<pulse-card source-id="src_1" base-url="https://pulse.test"></pulse-card>`;
    assert.deepEqual(codesOf(await diagnose(fetched(based), settings)), []);
    const own = fetched(cardWith('/', 'https://pulse.test'), { url: 'https://pulse.test/report' });
    assert.deepEqual(codesOf(await diagnose(own, settings)), []);
  });

  it('checks the charts of all sources on a page with a board, but not charts in data: URLs', async () => {
    const script = '<script type="module" src="https://pulse.test/pulse-board.js"></script>';
    const html = `${script}<pulse-board><img src="data:image/png;base64,AA=="></pulse-board>`;
    const diagnosis = await diagnose(fetched(html, { policy: "img-src 'self'" }), settings);
    assert.deepEqual(textsOf(diagnosis), [['csp_image', "img-src 'self' https://cdn.acme.test"]]);
  });

  it('suggests the script’s full URL if the first <base> changes the relative URL', async () => {
    const bases = '<base href="https://cdn.test/app/"><base href="/">';
    const tag = `${bases}<script type="module" src="/pulse-card.js"></script>`;
    const diagnosis = await found(pageUnder('', tag));
    assert.deepEqual(textsOf(diagnosis), [['other_bff', tagOf('https://pulse.test')]]);
    assert.match(diagnosis.findings[0]?.detail ?? '', /<base>/);
    assert.deepEqual(codesOf(await found(pageUnder('', tag.replace('cdn.test', 'pulse.test')))), []);
  });

  describe('if other scripts can add missing parts of the HTML', () => {
    const next = '<script src="/_next/static/chunks/main-app.js" async=""></script>';
    const jquery = '<script src="/wp-includes/js/jquery/jquery.min.js"></script>';
    const vite = '<script type=" Module" src="/assets/index.js"></script>';
    const address = 'https://pulse.test/pulse-card.js';
    const importing = `<script type="module">import '${address}'</script>`;
    const optimized = `<script type="rocketlazyloadscript" data-rocket-src="${address}"></script>`;
    const litespeed = `<script type="litespeed/javascript" data-src="${address}"></script>`;
    const stripped = `<script defer src="${address}"></script>`;
    const unconsented = `<script type="text/plain" src="${address}"></script>`;
    const bundled = '<pulse-card source-id="src_1" base-url="https://pulse.test"></pulse-card>';
    const card = '<pulse-card source-id="src_1"></pulse-card>';
    for (const [what, html, expected] of [
      ['a card that a bundle of classic scripts may bring', next + bundled, ['warning script_missing']],
      ['a card that a bundle of modules may bring', vite + bundled, []],
      ['such a card next to another', vite + bundled + card, ['warning script_missing']],
      ['a card with a bundle of modules', vite + card, ['warning script_missing']],
      [
        'a card with a module whose URL isn’t one',
        '<script type="module" src="http://"></script>' + card,
        ['error script_missing'],
      ],
      ['a card with other classic scripts', jquery + card, ['error script_missing']],
      ['a script that an inline module imports', importing + card, ['warning script_missing']],
      ['a script that WP Rocket delays', optimized + card, ['warning script_not_module']],
      ['a script that LiteSpeed delays', litespeed + card, ['warning script_not_module']],
      ['a script whose type an optimizer removed', stripped + card, ['error script_not_module']],
      ['a script that a consent tool delays', unconsented + card, ['warning script_not_module']],
      [
        'a card whose source a script may set',
        `${tagOf('https://pulse.test')}<script></script><pulse-card></pulse-card>`,
        ['warning source_id_missing'],
      ],
    ] as const)
      it(`diagnoses ${what}`, async () => {
        const { findings } = await found({ ...goodPage(invented), headers: {}, html });
        const seen = findings.map(({ severity, code }) => `${severity} ${code}`);
        assert.deepEqual(seen, expected);
      });
  });

  for (const [what, asked, html] of [
    ['a page without a card', 'https://www.page.test/report', '<p>'],
    ['an origin', 'https://www.page.test', '<p>'],
    ['an origin with a query', 'https://www.page.test/?utm_source=mail', '<p>'],
  ] as const)
    it(`returns ok: false for ${what}, because the page doesn’t show a card`, async () => {
      const asking = fetched(tagOf(invented.bff) + html, { asked, url: new URL(asked).href });
      const { ok, page } = await diagnose(asking, settings);
      assert.deepEqual([ok, page.cards], [false, 0]);
    });

  for (const [file, codes] of [
    ['pulse-board.js', []],
    ['pulse-board-1a2b3c.js', []],
    ['pulse-card.js"></script><script type="module" src="/app.js', []],
    ['pulse-card.js', ['board_undefined']],
    ['pulse-card-1a2b3c.js', ['board_undefined']],
  ] as const)
    it(`finds ${codes.join() || 'nothing'} on a page with only a board if the page loads ${file}`, async () => {
      const script = `<script type="module" src="https://pulse.test/${file}"></script>`;
      const diagnosis = await diagnose(fetched(`${script}<pulse-board></pulse-board>`), settings);
      assert.deepEqual([diagnosis.ok, codesOf(diagnosis)], [codes.length === 0, codes]);
    });

  describe('an unknown source ID', () => {
    const card = (id: string) => `<pulse-card source-id="${id}"></pulse-card>`;
    const frame = (id: string) => `<iframe src="https://pulse.test/embed/${id}"></iframe>`;
    const choice = 'Choose one of the listed sources: src_tech_stocks, src_co2';
    const fixOf = async (html: string, knownIds: readonly string[] = ['src_tech_stocks', 'src_co2']) => {
      const { findings } = await found({ ...goodPage(invented), html: tagOf(invented.bff) + html }, { knownIds });
      return findings.find(({ code }) => code === 'source_unknown')?.fix;
    };
    for (const [html, fix] of [
      [card('src_tech_stock'), card('src_tech_stocks')],
      [card('SRC_CO2'), card('src_co2')],
      [card('src_tech-shares'), card('src_tech_stocks')],
      [card('”src_co2”'), card('src_co2')],
      [card('src_nosuch'), choice],
      [frame('src_nosuch'), choice],
      [frame('src_co?theme=light'), 'src="https://pulse.test/embed/src_co2?theme=light"'],
      [card('tech stocks of ours'), choice],
    ] as const)
      it(`suggests the nearest ID, or the listed IDs: ${html}`, async () => assert.equal(await fixOf(html), fix));

    it('lists up to ten IDs', async () => {
      const ids = Array.from({ length: 11 }, (_, at) => `other_${at}`);
      const fix = await fixOf(card('src_nosuch'), ids);
      assert.equal(fix, `Choose one of the listed sources: ${ids.slice(0, 10).join(', ')}, …`);
    });

    it('is a placeholder in a frame without an ID', async () =>
      assert.equal(await fixOf(frame(''), []), 'src="https://pulse.test/embed/src_…"'));

    it('can be fixed with PULSE_SOURCES if no source is listed', async () =>
      assert.equal(await fixOf(card('src_nosuch'), []), 'PULSE_SOURCES=listed,src_nosuch'));

    it('is reported only if the known IDs can be read', async () => {
      const { findings } = await found(goodPage({ ...invented, sourceId: 'src_other' }), { knownIds: undefined });
      assert.deepEqual(findings, []);
    });
  });

  it('removes control characters that come from the page', async () => {
    const good = goodPage(invented);
    const html = good.html.replace('source-id="src_1"', 'source-id="\u001b[2J\u202esrc_1" title="\u009b\u2028x"');
    const text = JSON.stringify(await found({ ...good, html }));
    assert.match(text, /source_unknown/);
    assert.doesNotMatch(text, /[\p{C}\p{Zl}\p{Zp}]|\\u00/u);
  });

  it('limits the size of the diagnosis for any page (T-69)', async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `varian${at}`).join(' ');
    const images = Array.from({ length: 100 }, (_, at) => `<img src="//h${at}.test">`).join('');
    const pages = [
      `<pulse-card source-id=src_1 ${names}>`,
      `<pulse-card source-id="${'x'.repeat(50_000)}">${images}</pulse-card>`.repeat(30),
      `<script src=/pulse-card.js></script>${'<pulse-card></pulse-card><pulsecard>'.repeat(5_000)}`,
    ];
    const policy = Array.from({ length: 3_900 }, (_, at) => `img-src a${at}`).join(',');
    for (const html of pages) {
      const diagnosis = await diagnose(fetched(html, { policy }), settings);
      assert.ok(diagnosis.findings.length <= 50 && diagnosis.page.cards <= 100);
      for (const { title, detail, fix } of diagnosis.findings)
        for (const text of [title, detail, fix]) assert.ok(text.length <= 8_001);
    }
  });

  for (const [misspelt, right] of [
    ['pulse-bord', 'pulse-board'],
    ['pulse-crad', 'pulse-card'],
  ])
    it(`suggests <${right}> for <${misspelt}>`, async () => {
      const { findings } = await diagnose(fetched(`<${misspelt} label='"Q2"'></${misspelt}>`), settings);
      const finding = findings.find(({ code }) => code === 'tag_misspelt');
      assert.equal(finding?.detail, `Line 1. The nearest element is <${right}>.`);
      assert.equal(finding?.fix, `<${right} label="&quot;Q2&quot;"></${right}>`);
    });
});

describe('diagnose() on a redirect to a page without a card', () => {
  const redirected = (asked: string, url: string, html: string) => diagnose(fetched(html, { asked, url }), settings);
  const report = 'https://www.page.test/report';

  for (const [what, last, html] of [
    ['has a different path', 'https://www.page.test/login?next=/report', '<div id="app">'],
    ['is on a different host', 'https://login.sso.test/x', '<div id="app">'],
  ] as const)
    it(`treats the target as a login page if it ${what}`, async () => {
      const { originAllowed, ok, page, findings } = await redirected(report, last, html);
      assert.deepEqual([originAllowed, page.wasRead, ok, findings.length], [true, false, false, 1]);
      assert.match(findings[0]?.fix ?? '', /^Allow the User-Agent "pulse-doctor" to load the page/);
    });

  const app = '<input type="password"><script type="module" src="/app.js"></script>';
  for (const [what, asked, last, html] of [
    ['has a name with www', 'https://page.test/', 'https://www.page.test/', '<p>Welcome'],
    ['is the same over https, with a login in its header', 'http://www.page.test/report', report, app],
    ['is the same with a slash at its end', report, `${report}/`, app],
    ['is the same on another host', 'https://page.example/report', report, app],
    ['is a first page with a login in its header', 'https://page.example/', 'https://www.page.test/en/', app],
  ] as const)
    it(`checks the target instead of the requested page if it ${what}`, async () => {
      const { page, findings } = await redirected(asked, last, html);
      assert.deepEqual([findings, page.origin, page.wasRead], [[], 'https://www.page.test', true]);
    });

  it('checks the target’s origin if the target has a card', async () => {
    for (const html of [
      goodPage(invented).html,
      '<iframe src="https://pulse.test/embed/src_1"></iframe>',
      '<pulsecard>',
    ]) {
      const { findings } = await redirected(report, 'https://other.test/login', html);
      assert.match(findings[0]?.title ?? '', /^https:\/\/other\.test isn’t in PULSE_ALLOWED_ORIGINS\.$/);
    }
  });
});

describe('diagnose() on a page that couldn’t be read', () => {
  const missing = (fault: PageFault, asked = 'https://www.page.test/report', url = asked) =>
    diagnose({ ok: false, asked, url, fault }, settings);

  it('reports whether the page’s origin is allowed, but returns ok: false', async () => {
    const { ok, originAllowed, findings } = await missing({ kind: 'DNS' });
    assert.deepEqual([ok, originAllowed, findings[0]?.severity], [false, true, 'warning']);
    assert.match(findings[0]?.detail ?? '', / The cards weren’t checked\.$/);
  });

  it('reports that the page’s origin isn’t allowed', async () =>
    assert.equal((await missing({ kind: 'DNS' }, 'https://other.test/report')).originAllowed, false));

  it('knows that the BFF’s own pages are allowed', async () =>
    assert.equal((await missing({ kind: 'DNS' }, 'https://pulse.test/report')).originAllowed, true));

  it('treats hosts with and without www as the same', async () => {
    const fault = { kind: 'status', found: '403' } as const;
    const diagnosis = await missing(fault, 'https://page.test/report', 'https://www.page.test/report');
    assert.deepEqual(codesOf(diagnosis), ['page_unreachable']);
  });

  it('doesn’t suggest the origin of another site that the page redirects to', async () => {
    const diagnosis = await missing({ kind: 'private' }, 'https://www.page.test/report', 'http://10.0.0.1/login');
    assert.deepEqual(codesOf(diagnosis), ['page_unreachable']);
  });

  it('checks the allowed origin that the requested origin redirects to', async () => {
    const fault = { kind: 'status', found: '403' } as const;
    const diagnosis = await missing(fault, 'https://page.example', 'https://www.page.test/');
    assert.deepEqual([diagnosis.ok, codesOf(diagnosis)], [false, ['page_unreachable']]);
  });
});

describe('diagnose() with tokens', () => {
  const access = { access: 'token', tokenKeys } as const;
  const bare = goodPage(invented);
  const page = { ...bare, html: bare.html.replace('</body>', '<script type="module">provide()</script></body>') };
  const mint = (more: object = {}) => mintToken(KEY, { audience: invented.bff, sources: ['src_1'], ...more });

  it('describes a token that matches the page and the source, and reports no problem', async () => {
    const diagnosis = await found(page, access, `Bearer ${await mint()}\n`);
    assert.deepEqual([codesOf(diagnosis), diagnosis.token?.accepted], [[], true]);
    assert.ok(diagnosis.token?.lines.includes('The token is accepted. It allows src_1.'));
    const { token, findings } = await found(page, { tokenKeys }, await mint({ sources: [] }));
    assert.deepEqual([token?.accepted, findings], [true, []], 'a public BFF needs no token');
    assert.match(token?.lines.join() ?? '', /allows no source\.$/);
  });

  for (const [what, given, code, reason] of [
    [
      'is for another audience',
      mint({ audience: 'https://other.test' }),
      'token_refused',
      /expected aud https:\/\/pulse\.test/,
    ],
    ['isn’t a JWT', 'canary-nonsense', 'token_refused', /three base64url parts/],
    ['is too long', 'x'.repeat(5_000), 'token_refused', /4096/],
    ['is for other pages', mint({ origins: ['https://a.test'] }), 'token_origin', /www\.page\.test/],
    ['is for another source', mint({ sources: ['src_2'] }), 'token_source', /src_1/],
  ] as const)
    it(`reports that a token ${what}, and never repeats the token`, async () => {
      const token = await given;
      const diagnosis = await found(page, access, token);
      assert.deepEqual(codesOf(diagnosis), [code]);
      assert.match(diagnosis.findings[0]?.title ?? '', reason);
      assert.ok(!JSON.stringify(diagnosis).includes(token));
    });

  it('checks the token in a tag and never repeats the token', async () => {
    const token = await mint({ sources: ['src_2'] });
    const html = page.html.replace('<pulse-card', `<pulse-card token="${token}"`).replace('</pulse-card>', '');
    const diagnosis = await found({ ...page, html }, access);
    assert.deepEqual([codesOf(diagnosis), diagnosis.token], [['tag_not_closed', 'token_source'], null]);
    assert.ok(!JSON.stringify(diagnosis).includes(token));
  });

  it('reports cards that never get a token', async () => {
    assert.deepEqual(codesOf(await found(bare, access)), ['token_missing']);
    assert.deepEqual(codesOf(await found(bare, access, await mint())), []);
    const html = bare.html.replace('</body>', '<script type="application/json">{}</script></body>');
    assert.deepEqual(codesOf(await found({ ...bare, html }, access)), ['token_missing']);
  });

  it('warns that the sources weren’t checked if only a script can provide a token', async () => {
    const { ok, findings } = await found(page, access);
    assert.deepEqual(
      [ok, findings.map(({ code, severity }) => [code, severity])],
      [true, [['token_unknown', 'warning']]],
    );
  });

  it('reports that an iframe can’t have a token, and the missing script only if cards need it', async () => {
    const frame = frameWith('https://pulse.test/embed/src_1');
    const framed = (html: string) => ({ ...goodPage(invented), headers: {}, html: html + frame });
    const replaced = 'Replace the iframe with <pulse-card source-id="src_1"></pulse-card>';
    for (const html of ['', page.html]) {
      const { findings } = await found(framed(html), access, await mint());
      const texts = findings.map(({ code, title, fix }) => [code, title, fix]);
      assert.deepEqual(texts, [['token_missing', 'The BFF requires a token, but an iframe can’t have one.', replaced]]);
    }
    const { findings } = await found(framed(bare.html), access);
    assert.match(findings[0]?.title ?? '', /nothing on the page provides a token to the cards\.$/);
    assert.ok(findings[0]?.fix.startsWith(`${replaced}, and add <script`), findings[0]?.fix);
  });

  it('accepts a token for any of the BFF’s own origins on the BFF’s own pages', async () => {
    const own = fetched(page.html, { url: 'https://pulse.test/report' });
    const more = { ...access, ownOrigins: ['https://pulse.test', 'http://pulse.test'] };
    const diagnosis = await diagnose(own, { ...settings, ...more }, await mint({ origins: ['http://pulse.test'] }));
    assert.deepEqual(codesOf(diagnosis), []);
  });

  it('suggests a script that gives every element a token and rejects with a response that has none', async () => {
    const fix = (await found(bare, access)).findings[0]?.fix ?? '';
    const elements: { tokenProvider?: () => Promise<string> }[] = [{}, {}];
    const document = { querySelectorAll: () => elements };
    const fetch = async () => new Response('<p>Sorry', { status: 503 });
    runInNewContext(fix.replace(/^<script type="module">|<\/script>$/g, ''), { document, fetch });
    const [first, second] = elements;
    assert.equal(first?.tokenProvider, second?.tokenProvider);
    await assert.rejects(async () => first?.tokenProvider?.(), { status: 503 });
  });
});
