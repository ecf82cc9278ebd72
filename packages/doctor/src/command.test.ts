import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { serve } from '../../bff/src/testing/serve.ts';
import { runDoctor, type Shell } from './command.ts';

const HTML = { 'Content-Type': 'text/html' };

/** A BFF's response to a batch of pulses, and the headers of the requests that it received. */
async function serveBff(status: number, body: object, asked: IncomingHttpHeaders[] = [], scriptStatus = 200) {
  return serve(({ url = '', headers }, response) => {
    if (/^\/pulse-card(?:\.min)?\.js$/.test(url)) {
      response.writeHead(scriptStatus).end();
      return;
    }
    asked.push(headers);
    const isList = url === '/v1/sources' && status === 200;
    const sources = [{ id: 'src_1' }, { id: 'src_other' }];
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isList ? { sources } : body));
  });
}

const servePage = (html: string | Buffer, headers = {}) =>
  serve((_request, response) => response.writeHead(200, { ...HTML, ...headers }).end(html));
const cardOf = (bff: string, attributes = 'source-id="src_1"') =>
  `<script type="module" src="${bff}/pulse-card.js"></script><pulse-card ${attributes}></pulse-card>`;

const run = (...words: string[]) => runWith('a.b.c\n', ...words);

async function runWith(stdin: string, ...words: string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await runDoctor(words, {
    stdin: Readable.from([stdin]),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  } as unknown as Shell);
  return { code, stdout, stderr };
}

const failing = (code: string) => ({ pulses: [{ sourceId: 'src_1', ok: false, code }] });
const FOUND = { pulses: [{ sourceId: 'src_1', ok: true, pulse: { imageUrl: 'https://cdn.test/1.png' } }] };

describe('pulse-doctor', { timeout: 60_000 }, () => {
  it('queries the page’s BFF with the page’s origin, and exits with 0 if the page’s cards work', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(200, FOUND, asked);
    await using page = await servePage(cardOf(bff.url));
    const { code, stdout, stderr } = await run(`${page.url}/report?utm=x`);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `Page: ${page.url}/report (1 card)\nBFF: ${bff.url}\n\nFound nothing that keeps cards from working.\n`,
    );
    assert.ok(asked.length > 0 && asked.every(({ origin }) => origin === page.url));
  });

  for (const [what, status, body, code] of [
    ['rejects the origin', 403, { code: 'origin_forbidden' }, 'origin_not_allowed'],
    ['requires a token', 401, { code: 'token_missing' }, 'token_missing'],
    ['rejects the key', 503, { code: 'upstream_auth' }, 'bff_refuses'],
    ['is a different server', 404, {}, 'bff_refuses'],
    ['sends something else', 404, { pulses: [null] }, 'bff_refuses'],
    ['sends a page', 200, {}, 'bff_refuses'],
    ['is behind a proxy and down', 502, {}, 'bff_unreachable'],
    ['doesn’t know the source', 200, failing('source_unknown'), 'source_unknown'],
    ['leaves out the source', 200, { pulses: [{ ...FOUND.pulses[0], sourceId: 'src_2' }] }, 'source_unknown'],
    ['can’t reach the service', 200, failing('upstream_unavailable'), 'bff_refuses'],
    ['doesn’t allow the source for the token', 200, failing('token_forbidden'), 'token_refused'],
  ] as const)
    it(`exits with 1 and reports the BFF’s response if the BFF ${what}`, async () => {
      await using bff = await serveBff(status, body);
      await using page = await servePage(cardOf(bff.url));
      const { code: exit, stdout } = await run(page.url, '--json');
      const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: { code: string }[] };
      assert.deepEqual([exit, ok, findings.map((finding) => finding.code)], [1, false, [code]]);
    });

  for (const [what, body] of [
    ['the BFF', '{"code":"signed_out"}'],
    ['the portal in front of the BFF', 'Unauthorized'],
  ] as const)
    it(`exits with 0 and a warning if ${what} requires a login`, async () => {
      await using bff = await serve((_request, response) => response.writeHead(401).end(body));
      await using page = await servePage(cardOf(bff.url));
      const { code, stdout } = await run(page.url);
      assert.deepEqual([code, /^warning login_required: /m.test(stdout)], [0, true], stdout);
    });

  it('says which sources the BFF can’t show, and finds nothing wrong with a source that has no pulse yet', async () => {
    const sources = ['src_1', 'src_2', 'src_3'].map((sourceId, at) => {
      return { sourceId, ok: false, code: at === 0 ? 'pulse_not_found' : 'upstream_auth' };
    });
    await using bff = await serveBff(200, { pulses: [null, ...sources] });
    await using page = await servePage(
      sources.map(({ sourceId: id }) => cardOf(bff.url, `source-id="${id}"`)).join(''),
    );
    const { code, stdout } = await run(page.url);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^error bff_refuses: The BFF responds with upstream_auth for src_2, src_3\.\n.+\n {2}Change: .+ check command of pulse-bff\n\nFound 1 error/m,
    );
  });

  it('needs the list of sources only for a board', async () => {
    await using bff = await serve(({ url }, response) => {
      if (url !== '/v1/sources') response.end(JSON.stringify(FOUND));
      else response.writeHead(503).end('{"code":"upstream_auth"}');
    });
    await using page = await servePage(cardOf(bff.url));
    assert.equal((await run(page.url)).code, 0);
    await using board = await servePage(`${cardOf(bff.url)}<pulse-board></pulse-board>`);
    assert.match((await run(board.url)).stdout, /: The BFF responds with upstream_auth for the list of sources\.$/m);
  });

  for (const [end, status] of [
    ['/v1', 404],
    ['/v1/pulses?ids=src_1', 404],
    ['/pulse-card.js', 404],
    ['/embed/src_1', 200],
    ['/studio', 404],
  ] as const)
    it(`corrects a base-url that ends in ${end}`, async () => {
      await using bff = await serve((_request, response) => response.writeHead(status).end('{"code":"not_found"}'));
      await using page = await servePage(
        cardOf(end === '/studio' ? bff.url : 'https://cdn.test', `source-id="src_1" base-url="${bff.url}${end}"`),
      );
      const { stdout } = await run(page.url);
      assert.ok(stdout.includes(`Change: Correct the URL of the script or base-url: ${bff.url}\n`), stdout);
    });

  it('says which origin to add, because it doesn’t know which origins are already allowed', async () => {
    await using bff = await serveBff(403, { code: 'origin_forbidden' });
    await using page = await servePage(cardOf(bff.url));
    const { stdout } = await run(page.url);
    assert.ok(stdout.includes(`Change: Add ${page.url} to PULSE_ALLOWED_ORIGINS\n`), stdout);
  });

  it('suggests a listed ID for one that can’t be an ID', async () => {
    await using bff = await serveBff(200, {});
    await using page = await servePage(cardOf(bff.url, 'source-id="src_1…"'));
    const { stdout } = await run(page.url);
    assert.match(stdout, /^ {2}Change: <pulse-card source-id="src_1"><\/pulse-card>$/m);
  });

  it('doesn’t judge a script by its name, because it can ask for it', async () => {
    await using bff = await serveBff(200, FOUND);
    await using page = await servePage(cardOf(bff.url).replace('pulse-card.js', 'pulse-card.min.js'));
    assert.equal((await run(page.url)).code, 0);
  });

  it('exits with 1 if the server doesn’t have the card’s script', async () => {
    await using bff = await serveBff(200, FOUND, [], 404);
    await using page = await servePage(cardOf(bff.url));
    const { code, stdout } = await run(page.url);
    assert.equal(code, 1);
    assert.match(stdout, /^error bff_refuses: The BFF responds with 404 for .+\/pulse-card\.js\.$/m);
  });

  it('sends a token from the tag, the command line, or standard input, and never prints it', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(401, { code: 'token_invalid' }, asked);
    await using page = await servePage(cardOf(bff.url, 'source-id="src_1" token="t.a.g"'));
    for (const [words, token] of [
      [[], 't.a.g'],
      [['--token', 'x.y.z'], 'x.y.z'],
      [['--token', '-'], 'a.b.c'],
    ] as const) {
      asked.length = 0;
      const { code, stdout } = await run(page.url, ...words);
      assert.equal(code, 1);
      assert.match(stdout, /^error token_refused: /m);
      assert.ok(asked.every(({ authorization }) => authorization === `Bearer ${token}`));
      assert.ok(!stdout.includes(token), stdout);
    }
  });

  for (const [what, status, body, accepted, line] of [
    ['rejects it', 401, { code: 'token_invalid' }, false, 'The BFF responds to the token with token_invalid.'],
    ['forbids a source', 200, failing('token_forbidden'), false, 'The BFF responds to the token with token_forbidden.'],
    ['doesn’t respond', 502, {}, null, 'The BFF didn’t check the token.'],
    [
      'doesn’t reject it',
      200,
      FOUND,
      null,
      'The BFF doesn’t reject the token. Only the BFF has the keys to check it further.',
    ],
  ] as const)
    it(`knows about a token only what the BFF says: it ${what}`, async () => {
      await using bff = await serveBff(status, body);
      await using page = await servePage(cardOf(bff.url));
      const { stdout } = await run(page.url, '--json', '--token', 'a.b.c');
      assert.deepEqual((JSON.parse(stdout) as { token: object }).token, { accepted, lines: [line] });
    });

  it('checks the page’s policy against the BFF’s chart URLs', async () => {
    await using bff = await serveBff(200, FOUND);
    const policy = { 'Content-Security-Policy': `script-src *; connect-src *; img-src 'self'` };
    await using page = await servePage(cardOf(bff.url), policy);
    const { stdout } = await run(page.url);
    assert.match(stdout, /^error csp_image: .*\n.*\n {2}Change: img-src 'self' https:\/\/cdn\.test$/m);
  });

  it('exits with 1 without querying a BFF if the page has no card', async () => {
    await using page = await servePage('<p>');
    const { code, stdout } = await run(page.url);
    assert.deepEqual([code, /no card/.test(stdout), /^BFF/m.test(stdout)], [1, true, false]);
  });

  it('exits with 1 if the page or the BFF can’t be reached', async () => {
    const missing = await run('http://127.0.0.1:2/report');
    assert.deepEqual(
      [missing.code, /^warning page_unreachable: [^]*\nFound 0 errors and 1 warning\.\n$/m.test(missing.stdout)],
      [1, true],
    );
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n';
    await using upgrading = await serve(({ socket }) => void socket.end(upgrade));
    assert.match((await run(upgrading.url)).stdout, /^warning page_unreachable: /m);
    await using page = await servePage(cardOf('http://127.0.0.1:2'));
    assert.match(
      (await run(page.url)).stdout,
      /^error bff_unreachable: .+:2 .+\n.+\n.+ correct the URL of the script or base-url$/m,
    );
  });

  it('reads a compressed page and follows three redirects, without the username and password of a URL', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(200, FOUND);
    await using page = await serve(({ url = '', headers }, response) => {
      asked.push(headers);
      const next = Number(url.slice(1)) + 1;
      const location = next === 3 ? '/3' : `http://user:word@${headers.host}/${next}`;
      if (next <= 4) response.writeHead([301, 302, 303, 307, 308][next] ?? 302, { location }).end();
      else response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(cardOf(bff.url)));
    });
    assert.equal((await run(`${page.url.replace('//', '//user:word@')}/1`)).code, 0);
    assert.equal(asked.length, 4);
    assert.ok(asked.every(({ authorization }) => authorization === undefined));
    assert.match((await run(`${page.url}/0`)).stdout, /^error page_unreachable: .+ redirects more than three times/m);
  });

  it('reads a page with a policy of 32 kB', async () => {
    await using bff = await serveBff(200, FOUND);
    await using page = await servePage(cardOf(bff.url), {
      'Content-Security-Policy': `font-src ${'a'.repeat(32_000)}`,
    });
    assert.equal((await run(page.url)).code, 0);
  });

  it('doesn’t read a page of more than 2 MiB', async () => {
    const large = Buffer.alloc(2 * 1024 * 1024 + 1);
    await using page = await servePage(large);
    await using compressed = await servePage(gzipSync(large), { 'Content-Encoding': 'gzip' });
    for (const { url } of [page, compressed])
      assert.match((await run(url)).stdout, /^warning page_unreachable: .+\n.+ larger than 2 MiB/m);
  });

  it('doesn’t follow a redirect of the BFF', async () => {
    await using bff = await serve(({ url }, response) => {
      if (url === '/moved') response.end(JSON.stringify(FOUND));
      else response.writeHead(302, { location: '/moved' }).end();
    });
    await using page = await servePage(cardOf(bff.url));
    assert.match((await run(page.url)).stdout, /^error bff_refuses: There is no BFF .+\n.+ such as a redirect\.$/m);
  });

  it('doesn’t query a server on this machine for a page on another one', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(200, FOUND, asked);
    await using page = await servePage(cardOf(bff.url));
    await using framing = await servePage(`<iframe src="${bff.url}/embed/src_1"></iframe>`);
    for (const { url } of [page, framing])
      assert.match((await run(url.replace('127.0.0.1', '0.0.0.0'))).stdout, /^error bff_on_loopback: /m);
    assert.deepEqual(asked, []);
  });

  it('queries the BFF for at most 50 sources', async () => {
    await using bff = await serve(({ url = '' }, response) => {
      const ids = new URL(url, 'http://bff.test').searchParams.get('ids')?.split(',') ?? [];
      const pulses = ids.map((sourceId) => ({ ...FOUND.pulses[0], sourceId }));
      response.writeHead(ids.length > 50 ? 400 : 200).end(JSON.stringify({ pulses }));
    });
    const cards = Array.from({ length: 51 }, (_, at) => cardOf(bff.url, `source-id="src_${at}"`));
    await using page = await servePage(cards.join(''));
    assert.equal((await run(page.url)).code, 0);
  });

  it('queries the BFF of an iframe, even after the iframe of a video', async () => {
    await using videos = await servePage('A video');
    for (const [status, body, exit] of [
      [200, FOUND, 0],
      [403, { code: 'origin_forbidden' }, 1],
    ] as const) {
      await using bff = await serveBff(status, body);
      const [video, frame] = [`${videos.url}/embed/v1`, `${bff.url.replace('http:', '')}/embed/src_1?theme=light`];
      await using page = await servePage(`<iframe src="${video}"></iframe><iframe src="${frame}"></iframe>`);
      const { code, stdout } = await run(page.url);
      assert.deepEqual([code, stdout.split('\n')[1]], [exit, `BFF: ${bff.url}`]);
    }
  });

  it('doesn’t send a token to a site that is only in an iframe', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(200, FOUND, asked);
    await using page = await servePage(`<iframe src="${bff.url}/embed/src_1"></iframe>`);
    await run(page.url, '--token', 'x.y.z');
    assert.deepEqual(
      asked.map(({ authorization }) => authorization),
      [undefined, undefined],
    );
  });

  it('queries at most ten sites that are in iframes', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using bff = await serveBff(404, {}, asked);
    const frames = Array.from({ length: 11 }, (_, at) => `<iframe src="${bff.url}/site-${at}/embed/x"></iframe>`);
    await using page = await servePage(frames.join(''));
    await run(page.url);
    // The first site is then queried as the BFF, for the source.
    assert.equal(asked.length, 11);
  });

  it('waits at most ten seconds for the page and for each response of the BFF', async (t) => {
    await using bff = await serveBff(200, FOUND);
    await using page = await servePage(cardOf(bff.url));
    const late = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
    assert.match((await run(page.url)).stdout, /^warning page_unreachable: .+\n.+ within 10 seconds/m);
    late.mock.mockImplementationOnce(() => new AbortController().signal, 1);
    assert.match((await run(page.url)).stdout, /^error bff_unreachable: /m);
    assert.ok(late.mock.calls.every(({ arguments: [ms] }) => ms === 10_000));
  });

  it('exits with 1 if there is no page', async () => {
    await using missing = await serve((_request, response) => response.writeHead(404, HTML).end('<p>'));
    await using file = await serve((_request, response) => response.writeHead(302, { location: 'ftp://a.test' }).end());
    assert.match((await run(`${missing.url}/report`)).stdout, /^error page_unreachable: .+ returned 404/m);
    assert.match((await run(`${file.url}/report`)).stdout, /^error page_unreachable: .+ isn’t a web page/m);
  });

  it('reports an iframe of an unknown source', async () => {
    await using bff = await serveBff(200, { pulses: [{ sourceId: 'src_9', ok: false, code: 'source_unknown' }] });
    await using page = await servePage(`<iframe src="${bff.url}/embed/src_9"></iframe>`);
    const { code, stdout } = await run(page.url);
    assert.deepEqual([code, /^error source_unknown: /m.test(stdout)], [1, true]);
  });

  for (const [words, message] of [
    [[], /missing required argument 'url'/],
    [
      ['www.canary.test'],
      /^error: command-argument is invalid for argument 'url'\. It must be a URL that includes the scheme, such as https:/,
    ],
    [['https://a.test', 'https://b.test'], /too many arguments/],
    [['--jsn', 'https://a.test'], /unknown option '--jsn' \(did you mean --json\?\)/],
    [['--verbose', 'https://a.test'], /unknown option '--verbose' \(did you mean --version\?\)/],
    [['https://a.test', '--tokne=canary'], /unknown option '--tokne' \(did you mean --token\?\)/],
    [['https://a.test', 'canary'], /too many arguments/],
  ] as const)
    it(`exits with 2 for invalid usage: ${words.join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.ok(!stderr.includes('canary'), stderr);
    });

  it('exits with 2 if standard input has no token', async () => {
    const { code, stderr } = await runWith('\n', 'https://a.test', '--token', '-');
    assert.deepEqual([code, stderr.startsWith('error: the token is empty')], [2, true]);
  });

  it('prints its help and its version', async () => {
    assert.match((await run('--help')).stdout, /^Usage: pulse-doctor/);
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
