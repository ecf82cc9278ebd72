import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { cardWithPulse, hit, serveApp } from '../../testing/served-app.ts';

const PAGE = '/embed/src_1';
const SIZED_BY_CONTENT = /responsive-embedded-sizing/;

async function serve(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const app = await serveApp({ PULSE_ALLOWED_ORIGINS: 'https://site.test', ...variables });
  t.after(() => app[Symbol.asyncDispose]());
  return async (path: string) => {
    const response = await fetch(app.url + path);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

describe('GET /embed/:sourceId', () => {
  it('never shows one visitor’s theme to another', async (t) => {
    const ask = await serve(t);
    for (const path of [PAGE, '/v1/sources/src_1/fragment']) {
      const before = await ask(path);
      const [pink, green] = [await ask(`${path}?radius=3`), await ask(`${path}?radius=2`)];
      assert.equal(new Set([before.text, pink.text, green.text]).size, 3, path);
      assert.equal((await ask(path)).text, before.text, path);
    }
  });

  it('shows a new pulse as soon as it is known', async (t) => {
    const app = await serveApp();
    t.after(() => app[Symbol.asyncDispose]());
    for (const aiSummaryShort of ['Before', 'After']) {
      app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, aiSummaryShort } }));
      for (const path of [PAGE, '/v1/sources/src_1/fragment'])
        assert.ok((await (await fetch(app.url + path)).text()).includes(aiSummaryShort), path);
    }
  });

  it('lets a page size the frame to its content only if every reader is allowed to see every pulse', async (t) => {
    assert.match((await (await serve(t))(PAGE)).text, SIZED_BY_CONTENT);
    assert.doesNotMatch((await (await serve(t, { PULSE_CACHE: 'private' }))(PAGE)).text, SIZED_BY_CONTENT);
  });

  it('can be framed only by allowed origins, even if it shows an error (T-45)', async (t) => {
    const ask = await serve(t);
    for (const path of [PAGE, '/embed/src_unknown']) {
      const policy = (await ask(path)).headers.get('content-security-policy') ?? '';
      assert.match(policy, /frame-ancestors [^;]*https:\/\/site\.test/, path);
      assert.doesNotMatch(policy, /frame-ancestors [^;]*\*/, path);
    }
  });

  it('ignores theme values that aren’t allowed (T-58)', async (t) => {
    const bad = encodeURIComponent('red;}</style><script>alert(1)</script>');
    const ask = await serve(t);
    const plain = await ask(PAGE);
    const { text, headers } = await ask(`${PAGE}?accent=${bad}&theme=${bad}&font=${bad}&radius=${bad}`);
    assert.equal(text, plain.text);
    assert.equal(headers.get('content-security-policy'), plain.headers.get('content-security-policy'));
  });
});
