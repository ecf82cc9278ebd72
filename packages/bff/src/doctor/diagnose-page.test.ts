import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { parseTokenKeys } from '@pulse-card/token';
import { readConfig } from '../config.ts';
import type { Variables } from '../config-variables.ts';
import { Representation } from '../http/representation.ts';
import { integrityOf } from '../http/widget-files.ts';
import { brokenPages, goodPage, type PageFixture, type Places } from '../testing/broken-pages.ts';
import { AUDIENCE, forge, goodParts, KEYS_FILE, PORTAL } from '../testing/forged-tokens.ts';
import { diagnosePage, type Diagnosis, type DiagnosisInput } from './diagnose-page.ts';
import type { DoctorContext } from './page-context.ts';

const script = new Representation('export {};', 'text/javascript');
const widget = { script, hash: '0123456789abcdef' };
const invented: Places = {
  bff: 'https://pulse.test',
  page: 'https://www.page.test',
  charts: 'https://cdn.acme.test',
  sourceId: 'src_1',
};

const now = Date.UTC(2026, 0, 2);
const TOKEN_KEYS = await parseTokenKeys(KEYS_FILE);

function contextOf(variables: Variables, more: Partial<DoctorContext> = {}): DoctorContext {
  const settings = readConfig({ PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: 'https://api.test', ...variables });
  return {
    settings,
    sourceFacts: () =>
      Promise.resolve({ knownIds: ['src_1', 'src_bare'], chartUrls: ['https://cdn.acme.test/charts/run_1.png'] }),
    tokenKeys: settings.access === 'token' ? TOKEN_KEYS : undefined,
    widget,
    wallNow: () => now,
    ...more,
  };
}

/** What is found on `page` where it is served from `places.page`. */
function diagnose({ headers, html, variables }: PageFixture, more: Partial<DoctorContext> = {}, input = {}) {
  const fetchPage: DoctorContext['fetchPage'] = (url) => {
    const small = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return Promise.resolve({ ok: true, url, redirects: 0, headers: small, html, isTruncated: false });
  };
  const url = `${invented.page}/report`;
  return diagnosePage({ url, ...input }, contextOf(variables, { fetchPage, ...more }));
}

/** An element in the manifest of the widget. */
interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly { readonly name: string; readonly type?: { readonly text: string } }[];
}

const codesOf = ({ findings }: Diagnosis): string[] => findings.map(({ code }) => code);

/** `goodPage` with another script tag, other headers or other variables. */
function pageWith({
  tag = '',
  headers = {},
  variables = {},
}: {
  tag?: string;
  headers?: object;
  variables?: Variables;
}) {
  const good = goodPage(invented);
  const html = tag === '' ? good.html : good.html.replace(/<script.*<\/script>/, tag);
  return { html, headers: { ...good.headers, ...headers }, variables: { ...good.variables, ...variables } };
}

describe('diagnosePage()', () => {
  it('finds nothing on a page that is right, under a strict policy', async () => {
    const diagnosis = await diagnose(goodPage(invented));
    assert.deepEqual(diagnosis, {
      ok: true,
      page: {
        url: 'https://www.page.test/report',
        origin: 'https://www.page.test',
        wasRead: true,
        redirects: 0,
        cards: 1,
      },
      originAllowed: true,
      findings: [],
      token: null,
    });
  });

  for (const { what, code, fix, page, mended } of brokenPages) {
    it(`finds ${what}, that alone, and nothing once its line is applied`, async () => {
      const diagnosis = await diagnose(page(invented));
      assert.deepEqual(codesOf(diagnosis), [code]);
      const line = diagnosis.findings[0]?.fix ?? '';
      assert.equal(line, fix(invented));
      assert.deepEqual(codesOf(await diagnose(mended(invented, line))), []);
    });
  }

  it('judges each of several policies, wherever they stand', async () => {
    const headers = { 'Content-Security-Policy': "connect-src 'self', img-src 'self'" };
    const good = goodPage(invented);
    const meta = `<meta http-equiv="content-security-policy" content="script-src 'self'">`;
    const html = good.html.replace('<head>', `<head>${meta}`).replace('<body>', `<body>${meta}`);
    const { findings } = await diagnose({ ...good, html, headers });
    assert.deepEqual(
      findings.map(({ code, detail }) => [code, /header|<meta>/.exec(detail)?.[0]]),
      [
        ['csp_connect', 'header'],
        ['csp_image', 'header'],
        ['csp_script', '<meta>'],
      ],
    );
  });

  it('asks for the nonce where only nonces count', async () => {
    const headers = { 'Content-Security-Policy': "script-src 'strict-dynamic' 'nonce-abc' https:" };
    const diagnosis = await diagnose(pageWith({ headers }));
    assert.deepEqual(codesOf(diagnosis), ['csp_script']);
    const tag = diagnosis.findings[0]?.fix ?? '';
    assert.match(tag, /^<script type="module" nonce="/);
    const mended = tag.replace('the nonce of this answer', 'abc');
    assert.deepEqual(codesOf(await diagnose(pageWith({ headers, tag: mended }))), []);
  });

  it('minds the integrity of the script, and an address that changes', async () => {
    const tag = (file: string, integrity: string) =>
      `<script type="module" src="https://pulse.test/${file}" integrity="${integrity}"></script>`;
    const right = integrityOf(script);
    const pinned = tag('pulse-card-0123456789abcdef.js', right);
    const cases: readonly (readonly [tag: string, codes: readonly string[]])[] = [
      [tag('pulse-card.js', integrityOf(new Representation('other', 'text/javascript'))), ['script_integrity']],
      [tag('pulse-card.js', right), ['script_integrity_unpinned']],
      [tag('pulse-card-fedcba9876543210.js', right), ['script_outdated']],
      [pinned, []],
    ];
    for (const [given, codes] of cases) {
      const diagnosis = await diagnose(pageWith({ tag: given }));
      assert.deepEqual(codesOf(diagnosis), codes);
      if (codes.length > 0) assert.equal(diagnosis.findings[0]?.fix, pinned);
    }
  });

  it('finds a BFF that readers cannot reach, cannot ask, or that is another', async () => {
    const tag = (base: string) => `<script type="module" src="${base}/pulse-card.js"></script>`;
    const open = { 'Content-Security-Policy': '' };
    const cases: readonly (readonly [base: string, publicUrl: string, code: string, fix: string])[] = [
      ['http://localhost:4020', 'https://pulse.test', 'bff_on_loopback', tag('https://pulse.test')],
      ['http://pulse.test', 'http://pulse.test', 'mixed_content', tag('https://pulse.test')],
      ['https://other.test', 'https://pulse.test', 'other_bff', tag('https://pulse.test')],
      ['https://pulse.test', 'http://localhost:4020', 'other_bff', 'PULSE_PUBLIC_URL=https://pulse.test'],
      ['https://pulse.test', 'https://pulse.test/cards', 'other_bff', tag('https://pulse.test/cards')],
    ];
    for (const [base, publicUrl, code, fix] of cases) {
      const variables = { PULSE_PUBLIC_URL: publicUrl };
      const { findings } = await diagnose(pageWith({ tag: tag(base), headers: open, variables }));
      assert.deepEqual(
        findings.map((finding) => [finding.code, finding.fix]),
        [[code, fix]],
        base,
      );
    }
  });

  it('names the whole address of the script where <base> leads a relative one elsewhere', async () => {
    const tag = '<base href="https://cdn.test/app/"><script type="module" src="/pulse-card.js"></script>';
    const headers = { 'Content-Security-Policy': '' };
    for (const publicUrl of ['https://pulse.test', 'http://localhost:4020']) {
      const variables = { PULSE_PUBLIC_URL: publicUrl };
      const { findings } = await diagnose(pageWith({ tag, headers, variables }));
      assert.deepEqual(
        findings.map(({ code, fix }) => [code, fix]),
        [['other_bff', `<script type="module" src="${publicUrl}/pulse-card.js"></script>`]],
      );
      assert.match(findings[0]?.detail ?? '', /<base href="https:\/\/cdn\.test\/app\/">/);
    }
    const own = pageWith({ tag: tag.replace('https://cdn.test/app/', '/'), headers });
    assert.doesNotMatch((await diagnose(own)).findings[0]?.detail ?? '', /<base/);
  });

  it('warns only where a script of the page may bring what its HTML lacks', async () => {
    const bundle = '<script type="module" src="/assets/index.js"></script>';
    const headers = { 'Content-Security-Policy': '' };
    const { ok, findings } = await diagnose(pageWith({ tag: bundle, headers }));
    assert.deepEqual(
      [ok, findings.map(({ code, severity }) => [code, severity])],
      [true, [['script_missing', 'warning']]],
    );
    const good = pageWith({ tag: bundle, headers });
    const bundled = good.html.replace('<pulse-card', '<pulse-card base-url="https://pulse.test"');
    assert.deepEqual(codesOf(await diagnose({ ...good, html: bundled })), []);
  });

  describe('pages of frameworks and content systems', () => {
    const next = '<script src="/_next/static/chunks/main-app.js" async=""></script>';
    const jquery = '<script src="/wp-includes/js/jquery/jquery.min.js"></script>';
    const vite = '<script type="module" src="/assets/index.js"></script>';
    const own = '<script type="module" src="https://pulse.test/pulse-card.js"></script>';
    const bundled = '<pulse-card source-id="src_1" base-url="https://pulse.test"></pulse-card>';
    const card = '<pulse-card source-id="src_1"></pulse-card>';
    const address = 'https://pulse.test/pulse-card.js';
    const found = async (html: string) => {
      const { findings } = await diagnose({ ...goodPage(invented), headers: {}, html });
      return findings.map(({ severity, code }) => `${severity} ${code}`);
    };

    for (const [what, html, expected] of [
      ['a card that a bundle of classic scripts may bring', next + bundled, ['warning script_missing']],
      ['a card that a bundle of modules may bring', vite + bundled, []],
      ['a page that classic scripts render', next, ['warning card_missing']],
      ['a page that modules render, with our script', own + vite, ['warning card_missing']],
      ['a page without a tag, with our script beside one of others', own + jquery, ['error card_missing']],
      ['a card beside classic scripts of others', jquery + card, ['error script_missing']],
      [
        'a script that an inline module imports',
        `<script type="module">import '${address}'</script>${card}`,
        ['warning script_missing'],
      ],
      [
        'a script that an inline script loads',
        `<script>push(["${address}",{}])</script>${card}`,
        ['warning script_missing'],
      ],
      ['a script that a comment names', `<script>// TODO load ${address}</script>${card}`, ['warning script_missing']],
      [
        'a module without src',
        `<script type="module" data-src="${address}"></script>${card}`,
        ['warning script_missing'],
      ],
      ['a script without src', `<script data-src="${address}"></script>${card}`, ['error script_missing']],
      [
        'data that names the script',
        `<script type="application/json">"${address}"</script>${card}`,
        ['error script_missing'],
      ],
    ] as const) {
      it(`judges ${what}`, async () => assert.deepEqual(await found(html), expected));
    }

    for (const [tool, attributes] of [
      ['WP Rocket', `type="rocketlazyloadscript" data-rocket-type="module" data-rocket-src="${address}"`],
      ['LiteSpeed Cache', `type="litespeed/javascript" data-src="${address}"`],
      ['Cloudflare Rocket Loader', `type="a1b2c3-module" src="${address}"`],
      ['a consent tool', `type="text/plain" data-category="statistics" src="${address}"`],
    ] as const) {
      it(`warns that ${tool} delays the script, and exempts it`, async () => {
        const headers = {};
        const tag = `<script ${attributes}></script>`;
        const page = { ...goodPage(invented), headers };
        const diagnosis = await diagnose({ ...page, html: jquery + tag + card });
        assert.deepEqual([diagnosis.ok, codesOf(diagnosis)], [true, ['script_delayed']]);
        const fix = diagnosis.findings[0]?.fix ?? '';
        assert.match(fix, / data-cfasync="false" .*src="https:\/\/pulse\.test\/pulse-card\.js"/);
        assert.deepEqual(codesOf(await diagnose({ ...page, html: jquery + fix + card })), []);
      });
    }

    it('says where the tag is on the page as text, as editors leave it', async () => {
      const html = `${jquery}<p>&lt;pulse-card source-id=&#8220;src_1&#8221;&gt;&lt;/pulse-card&gt;</p>`;
      const { findings } = await diagnose({ ...goodPage(invented), headers: {}, html });
      assert.deepEqual(codesOf({ findings } as Diagnosis), ['card_missing']);
      assert.match(findings[0]?.detail ?? '', /^The tag is on the page as text: paste it into an HTML block\./);
    });

    it('says that curly quotation marks are no part of an id', async () => {
      const { findings } = await diagnose({
        ...goodPage(invented),
        html: goodPage(invented).html.replaceAll('"src_1"', '”src_1”'),
      });
      assert.deepEqual(
        findings.map(({ code, fix }) => [code, fix]),
        [['source_id_invalid', card]],
      );
      assert.match(findings[0]?.detail ?? '', /curly quotation mark/);
    });
  });

  it('does not miss what comes after the part of a page that was read', async () => {
    const read = async (html: string) => {
      const url = new URL('https://www.page.test/report');
      const page = { ok: true, url, redirects: 0, headers: {}, html, isTruncated: true } as const;
      const { variables } = goodPage(invented);
      return codesOf(await diagnosePage({ url: url.href }, contextOf(variables, { fetchPage: async () => page })));
    };
    for (const html of [
      '<p>',
      '<pulse-card source-id="src_1"><p>',
      '<script src="https://pulse.test/pulse-card.js" type="module">',
    ])
      assert.deepEqual(await read(html), ['page_truncated'], html);
    assert.deepEqual(await read('<pulse-card></pulse-card>'), ['source_id_missing', 'page_truncated']);
  });

  it('offers the nearest source only where an id is near to it, else those that are listed', async () => {
    const knownIds = ['src_tech_stocks', 'src_co2'];
    const fixOf = async (card: string, ids = knownIds) => {
      const good = goodPage(invented);
      const html = good.html.replace(/<pulse-card.*<\/pulse-card>/, card);
      const sourceFacts = () => Promise.resolve({ knownIds: ids, chartUrls: [] });
      const { findings } = await diagnose({ ...good, html }, { sourceFacts });
      return findings.find(({ code }) => code.startsWith('source_'))?.fix;
    };
    const card = (id: string) => `<pulse-card source-id="${id}"></pulse-card>`;
    const frame = (id: string) => `<iframe src="https://pulse.test/embed/${id}"></iframe>`;
    const choice = 'Choose one of the listed sources: src_tech_stocks, src_co2';
    for (const [html, fix] of [
      [card('src_tech_stock'), card('src_tech_stocks')],
      [card('src_tech-shares'), card('src_tech_stocks')],
      [card('src_nosuch'), choice],
      [frame('src_nosuch'), choice],
      [card('tech stocks of ours'), choice],
    ] as const)
      assert.equal(await fixOf(html), fix, html);
    const many = Array.from({ length: 11 }, (_, index) => `source_${index}`);
    assert.match((await fixOf(card('src_nosuch'), many)) ?? '', /: source_0, .*source_9, …$/);
    assert.equal(await fixOf(card('src_nosuch'), []), 'PULSE_SOURCES=listed,src_nosuch');
  });

  it('minds Cross-Origin-Embedder-Policy', async () => {
    const headers = { 'Cross-Origin-Embedder-Policy': 'require-corp; report-to="x"' };
    const diagnosis = await diagnose(pageWith({ headers }));
    assert.deepEqual(codesOf(diagnosis), ['coep_image']);
    assert.equal(diagnosis.ok, true);
    const line = diagnosis.findings[0]?.fix ?? '';
    assert.equal(line, 'PULSE_IMAGES=proxy PULSE_IMAGE_HOSTS=cdn.acme.test');
    const variables = Object.fromEntries(line.split(' ').map((part) => part.split('=') as [string, string]));
    const proxied = pageWith({ headers: { ...headers, 'Content-Security-Policy': '' }, variables });
    assert.deepEqual(codesOf(await diagnose(proxied)), []);
    const html = '<iframe src="https://pulse.test/embed/src_1"></iframe>';
    const framed = await diagnose({ ...pageWith({ headers }), headers, html });
    assert.deepEqual(codesOf(framed), ['coep_frame']);
    const mended = framed.findings[0]?.fix ?? '';
    assert.deepEqual(codesOf(await diagnose({ ...pageWith({ headers }), headers, html: `${mended}</iframe>` })), []);
  });

  it('minds what the running BFF has seen, and says what it could not check', async () => {
    const codes = async (more: Partial<DoctorContext>) => codesOf(await diagnose(goodPage(invented), more));
    assert.deepEqual(await codes({ sawUntrustedProxy: true }), ['trust_proxy']);
    const nothing = { knownIds: undefined, chartUrls: [], isUnavailable: true };
    assert.deepEqual(await codes({ sourceFacts: () => Promise.resolve(nothing) }), ['sources_unchecked']);
  });

  it('ignores policies that only report, tags in templates and comments, and names that are near by chance', async () => {
    const good = goodPage(invented);
    const more =
      '<template><pulse-card/></template><noscript><pulse-card></noscript><!-- <pulse-card> --><player-card></player-card>';
    const page = { ...good, html: good.html.replace('<p>', `${more}<p>`) };
    const headers = { ...good.headers, 'Content-Security-Policy-Report-Only': "default-src 'none'" };
    assert.deepEqual(codesOf(await diagnose({ ...page, headers })), []);
  });

  it('knows every attribute of the elements, and the values of those that take one out of a list', async () => {
    const manifest = readFileSync(new URL('../../../widget/custom-elements.json', import.meta.url), 'utf8');
    const { modules } = JSON.parse(manifest) as { modules: { declarations?: Declaration[] }[] };
    const elements = modules.flatMap(({ declarations = [] }) => declarations).filter(({ tagName }) => tagName);
    assert.equal(elements.length, 2);
    const codesFor = async (tagName: string, attributes: string) => {
      const id = tagName === 'pulse-card' ? 'source-id="src_1" ' : '';
      const tag = `<${tagName} ${id}${attributes}></${tagName}>`;
      const html = goodPage(invented).html.replace(/<pulse-card.*<\/pulse-card>/, tag);
      return codesOf(await diagnose({ ...goodPage(invented), html }));
    };
    for (const { tagName = '', attributes = [] } of elements) {
      assert.deepEqual(await codesFor(tagName, attributes.map(({ name }) => `${name}=""`).join(' ')), [], tagName);
      for (const { name, type } of attributes.filter(({ type }) => type?.text.includes("' | '"))) {
        assert.deepEqual(await codesFor(tagName, `${name}="canary"`), ['attribute_value'], name);
        for (const [, value = ''] of type?.text.matchAll(/'([^']+)'/g) ?? [])
          assert.deepEqual(await codesFor(tagName, `${name}="${value}"`), [], `${name}="${value}"`);
      }
    }
  });

  it('puts no control characters of a page into its texts', async () => {
    const good = goodPage(invented);
    const html = good.html.replace('source-id="src_1"', 'source-id="\u001b[2J\u202esrc_1" varient="\u009b\u2028x"');
    const text = JSON.stringify(await diagnose({ ...good, html }));
    assert.match(text, /source_id_invalid/);
    assert.doesNotMatch(text, /[\p{C}\p{Zl}\p{Zp}]|\\u00/u);
  });

  it('refuses an input that is no address of a page', async () => {
    const inputs = ['', 'example.com', 'localhost:8080', 'ftp://a.test', 'https://', 'javascript:alert(1)', undefined];
    for (const url of inputs)
      await assert.rejects(diagnosePage({ url } as DiagnosisInput, contextOf({})), { name: 'ZodError' }, String(url));
  });
});

describe('diagnosePage() where access is by token', () => {
  const variables = {
    PULSE_ACCESS: 'token',
    PULSE_TOKEN_KEYS_FILE: 'keys.json',
    PULSE_PUBLIC_URL: AUDIENCE,
    PULSE_ALLOWED_ORIGINS: `${invented.page},${PORTAL}`,
  };
  const { shared, claims } = goodParts(now / 1_000);
  const header = shared;
  const bare = pageWith({ variables });
  const page = { ...bare, html: bare.html.replace('</body>', '<script type="module">provide()</script></body>') };
  const codesWith = async (token: string) => codesOf(await diagnose(page, {}, { token }));

  it('finds nothing where the token is good for page and source, and says what it grants', async () => {
    const diagnosis = await diagnose(page, {}, { token: `Bearer ${forge(header, claims)}\n` });
    assert.deepEqual([codesOf(diagnosis), diagnosis.token?.accepted], [[], true]);
    assert.match(diagnosis.token?.lines.join('\n') ?? '', /^Sources: src_1$/m);
  });

  const refusals: Readonly<Record<string, readonly [token: string, code: string, reason: RegExp]>> = {
    'is expired': [
      forge(header, { ...claims, iat: now / 1_000 - 900, exp: now / 1_000 - 600 }),
      'token_refused',
      /expired/,
    ],
    'is for another audience': [forge(header, { ...claims, aud: 'https://other.test' }), 'token_refused', /audience/],
    'has an unknown kid': [forge({ ...header, kid: 'other' }, claims), 'token_refused', /kid/],
    'has a bad signature': [forge(header, claims, () => 'c2lnbmF0dXJl'), 'token_refused', /signature/],
    'has another algorithm': [forge({ ...header, alg: 'none' }, claims), 'token_refused', /alg/],
    'was taken back': [forge(header, { ...claims, jti: 'taken-back' }), 'token_refused', /revoked/],
    'is no token': ['canary-nonsense', 'token_refused', /JWT/],
    'is too long': ['x'.repeat(5_000), 'token_refused', /4096/],
    'is for pages of another origin': [
      forge(header, { ...claims, origins: [PORTAL] }),
      'token_origin',
      /www\.page\.test/,
    ],
    'is for another source': [forge(header, { ...claims, sources: ['src_2'] }), 'token_source', /src_1/],
  };
  for (const [what, [token, code, reason]] of Object.entries(refusals)) {
    it(`says that a token ${what}, and repeats it nowhere`, async () => {
      const diagnosis = await diagnose(page, {}, { token });
      assert.deepEqual(codesOf(diagnosis), [code]);
      assert.match(diagnosis.findings[0]?.title ?? '', reason);
      assert.ok(!JSON.stringify(diagnosis).includes(token));
    });
  }

  it('judges a token that stands in the tag, and repeats it nowhere', async () => {
    const token = forge(header, { ...claims, sources: ['src_2'] });
    const html = page.html.replace('<pulse-card', `<pulse-card varient="x" token="${token}"`);
    const diagnosis = await diagnose({ ...page, html });
    assert.deepEqual(codesOf(diagnosis), ['attribute_misspelt', 'token_source']);
    assert.ok(!JSON.stringify(diagnosis).includes(token));
  });

  it('finds cards that nothing gives a token', async () => {
    assert.deepEqual(codesOf(await diagnose(bare)), ['token_missing']);
    assert.deepEqual(codesOf(await diagnose(page)), []);
  });

  it('suggests a script that gives every element tokens, and takes no error page for one', async () => {
    const fix = (await diagnose(bare)).findings[0]?.fix ?? '';
    const elements: { tokenProvider?: () => Promise<string> }[] = [{}, {}];
    const document = { querySelectorAll: () => elements };
    const fetch = async () => new Response('<p>Sorry', { status: 503 });
    runInNewContext(fix.replace(/^<script type="module">|<\/script>$/g, ''), { document, fetch, Error });
    const [first, second] = elements;
    assert.equal(first?.tokenProvider, second?.tokenProvider);
    await assert.rejects(async () => first?.tokenProvider?.(), { message: '/pulse-token answered 503' });
  });

  it('says where tokens are not used', async () => {
    assert.deepEqual(codesOf(await diagnose(goodPage(invented), {}, { token: forge(header, claims) })), [
      'token_unused',
    ]);
    assert.deepEqual(await codesWith(''), ['token_refused']);
  });
});

describe('diagnosePage() over HTTP', () => {
  async function serving(listener: RequestListener, use: (origin: string) => Promise<void>): Promise<void> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const guards = { allowLoopback: true };

  it('judges the page that browsers end at, with the policy of its answer', async () => {
    await serving(
      (request, response) => {
        if (request.url === '/') return response.writeHead(302, { Location: '/report?secret=1' }).end();
        return response
          .writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': "script-src 'self'" })
          .end(goodPage(invented).html);
      },
      async (origin) => {
        const context = contextOf({ PULSE_PUBLIC_URL: invented.bff }, { guards });
        const { page, findings } = await diagnosePage({ url: origin }, context);
        assert.deepEqual(page, { url: `${origin}/report`, origin, wasRead: true, redirects: 1, cards: 1 });
        assert.deepEqual(
          findings.map(({ code }) => code),
          ['origin_not_allowed', 'csp_script'],
        );
      },
    );
  });

  describe('a redirect to a page without a card', () => {
    /** What is found where `asked` leads to `last`, whose page is `html`. */
    const redirected = (asked: string, last: string, html: string) => {
      const url = new URL(last);
      const page = { ok: true, url, redirects: 1, headers: {}, html, isTruncated: false } as const;
      const variables = { PULSE_PUBLIC_URL: invented.bff, PULSE_ALLOWED_ORIGINS: 'https://www.page.test' };
      return diagnosePage({ url: asked }, contextOf(variables, { fetchPage: async () => page }));
    };
    const report = 'https://www.page.test/report';

    for (const [what, last, html] of [
      ['asks for a password', 'https://www.page.test/welcome', '<input name="p" type="Password">'],
      ['is named as a login', 'https://www.page.test/login?next=/report', '<div id="app">'],
      ['is on a host that is named as a login', 'https://login.sso.test/x', '<div id="app">'],
      ['is on another site and named as a login', 'https://sso.test/realms/a/auth', '<div id="app">'],
      ['is on another site and asks for a password', 'https://id.www.page.test/', '<input type=password>'],
    ] as const) {
      it(`is taken for a login where it ${what}: the origin of the page is judged, and no other one suggested`, async () => {
        const diagnosis = await redirected(report, last, html);
        assert.deepEqual(codesOf(diagnosis), ['page_redirects']);
        assert.deepEqual([diagnosis.originAllowed, diagnosis.page.wasRead, diagnosis.ok], [true, false, false]);
        assert.match(diagnosis.findings[0]?.fix ?? '', /^Answer the User-Agent "pulse-bff doctor" with the page/);
      });
    }

    const app = '<input type="password"><script type="module" src="/app.js"></script>';
    for (const [what, asked, last, html] of [
      ['has a name with www', 'https://page.test/', 'https://www.page.test/', '<p>Welcome'],
      ['is the same over https, with a login in its header', 'http://www.page.test/report', report, app],
      ['is the same with a slash at its end', report, `${report}/`, app],
      ['is the same on another host', 'https://page.example/report', report, app],
      [
        'is client-rendered, on another host',
        'https://page.example/report',
        'https://www.page.test/a',
        '<script src=a>',
      ],
      ['is the first page of another site', 'https://page.example/', 'https://www.page.test/', '<p>Welcome'],
      ['is a first page with a login in its header', 'https://page.example/', 'https://www.page.test/en/', app],
    ] as const) {
      it(`is the page that is judged where it ${what}`, async () => {
        const diagnosis = await redirected(asked, last, html);
        const { origin, wasRead } = diagnosis.page;
        assert.deepEqual([diagnosis.ok, origin, wasRead], [true, 'https://www.page.test', true]);
        const isFirstPage = new URL(asked).pathname === '/';
        assert.deepEqual(codesOf(diagnosis), isFirstPage ? [] : ['card_missing']);
      });
    }

    it('has its own origin judged where it asks for no login', async () => {
      const { findings } = await redirected('https://page.example/', 'https://page.test/', '<p>Welcome');
      assert.deepEqual(
        findings.map(({ fix }) => fix),
        ['PULSE_ALLOWED_ORIGINS=https://www.page.test,https://page.test'],
      );
    });

    it('is a login where it is named as one, also for the first page of an origin', async () => {
      const diagnosis = await redirected('https://www.page.test/', 'https://auth.sso.test/', '<div id="app">');
      assert.deepEqual([diagnosis.ok, codesOf(diagnosis)], [true, ['page_redirects']]);
      assert.equal(diagnosis.page.origin, 'https://www.page.test');
    });

    it('has its own origin judged where it has a card', async () => {
      const diagnosis = await redirected(report, 'https://other.test/login', goodPage(invented).html);
      assert.deepEqual(codesOf(diagnosis), ['origin_not_allowed']);
      assert.match(diagnosis.findings[0]?.title ?? '', /^https:\/\/other\.test /);
    });
  });

  it('suggests no origin of another site that a redirect led to and that was not read', async () => {
    const url = new URL('http://10.0.0.1/login');
    const fetchPage = async () => ({ ok: false, url, redirects: 1, fault: { kind: 'private' } }) as const;
    const variables = { PULSE_ALLOWED_ORIGINS: 'https://www.page.test' };
    const diagnosis = await diagnosePage({ url: 'https://www.page.test/report' }, contextOf(variables, { fetchPage }));
    assert.deepEqual(codesOf(diagnosis), ['page_private']);
  });

  it('judges the allowed origin that an origin led to, also where its page was not read', async () => {
    const url = new URL('https://www.page.test/');
    const fetchPage = async () => ({ ok: false, url, redirects: 1, fault: { kind: 'status', status: 403 } }) as const;
    const variables = { PULSE_ALLOWED_ORIGINS: 'https://www.page.test' };
    const diagnosis = await diagnosePage({ url: 'https://page.example' }, contextOf(variables, { fetchPage }));
    assert.deepEqual([diagnosis.ok, codesOf(diagnosis)], [true, ['page_status']]);
  });

  it('answers for an origin that has no page, and for one without a card', async () => {
    await serving(
      (_request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Welcome</p>'),
      async (origin) => {
        const allowed = { PULSE_PUBLIC_URL: invented.bff, PULSE_ALLOWED_ORIGINS: origin };
        assert.deepEqual(codesOf(await diagnosePage({ url: origin }, contextOf(allowed))), []);
        assert.deepEqual(codesOf(await diagnosePage({ url: `${origin}/report` }, contextOf(allowed))), [
          'card_missing',
        ]);
      },
    );
    const nowhere = await diagnosePage({ url: 'http://127.0.0.1:9' }, contextOf({}, { guards }));
    assert.deepEqual([nowhere.originAllowed, codesOf(nowhere)], [false, ['origin_not_allowed', 'page_unreachable']]);
    const allowed = await diagnosePage(
      { url: 'http://127.0.0.1:9' },
      contextOf({ PULSE_ALLOWED_ORIGINS: '*' }, { guards }),
    );
    assert.deepEqual([allowed.ok, codesOf(allowed)], [true, ['page_unreachable']]);
  });

  for (const [code, page, more] of [
    ['page_unreachable', 'http://127.0.0.1:9/report', { guards }],
    ['page_private', 'http://10.0.0.1/report', {}],
  ] as const) {
    it(`warns that a page was not read (${code}), and does not call it well`, async () => {
      const { ok, findings } = await diagnosePage({ url: page }, contextOf({ PULSE_ALLOWED_ORIGINS: '*' }, more));
      assert.deepEqual([ok, findings.map((finding) => [finding.severity, finding.code])], [false, [['warning', code]]]);
    });
  }
});
