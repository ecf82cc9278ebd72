import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { snippetFor } from '../snippet/index.ts';
import { clearStage, eventually, linesOf, loadedChart, openPage, stageCard, StubBff, until, within } from './stage.ts';

const FOREIGN = location.origin.replace('localhost', '127.0.0.1');

/** The policies in docs/cards/csp.md, with these tests' URLs. */
async function policiesOfDocs(): Promise<string[]> {
  const page = await (await fetch('/__wds-outside-root__/2/docs/cards/csp.md')).text();
  const blocks = [...page.matchAll(/```http\n([^`]+)```/g)].map(([, block]) => block ?? '');
  return blocks.map((block) =>
    block
      .replace(/^Content-Security-Policy: /, '')
      .replaceAll('https://pulse.example.com', FOREIGN)
      .replaceAll('https://cdn.example.com', FOREIGN)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

/**
 * Opens the snippet under `csp`. The script that watches the page is a separate file, because the policy forbids inline
 * scripts.
 */
async function openStrict(csp: string, bff: StubBff, more = '') {
  const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: bff.base, name: 'Q2 revenue' });
  // The script is delayed, so that all observers are ready before it runs.
  const html = snippet.replace('pulse-card.js', 'pulse-card.js?delay=300') + more;
  const violations: string[] = [];
  const warnings: string[] = [];
  const errors: string[] = [];
  const frame = await openPage(html, { csp }, 600, (page) => {
    page.document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
    page.addEventListener('error', (event) => errors.push(event.message));
    page.addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
    page.console.warn = (text: string) => warnings.push(text);
  });
  const page = frame.contentWindow as Window & typeof globalThis;
  return { frame, page, violations, warnings, errors };
}

describe('a strict page', () => {
  afterEach(clearStage);

  it('T-44: shows the card without a violation under each policy in docs/cards/csp.md', async () => {
    const policies = await policiesOfDocs();
    expect(policies.length).to.be.at.least(2);
    for (const csp of policies) {
      const bff = new StubBff('ok', FOREIGN);
      const { page, violations, errors } = await openStrict(csp, bff);
      const card = page.document.querySelector('pulse-card');
      await eventually(() => card?.state === 'ready');
      expect((await loadedChart(card)).naturalWidth).to.equal(1600);
      card?.shadowRoot?.querySelector<HTMLElement>('summary')?.click();
      await eventually(() => card?.open);
      card?.shadowRoot?.querySelector('button')?.click();
      expect(violations).to.deep.equal([]);
      expect(errors).to.deep.equal([]);
      clearStage();
    }
  });

  it('T-44: keeps its own content, with one warning, if it doesn’t allow Trusted Types policies', async () => {
    const csp = `default-src 'none'; script-src ${FOREIGN}; connect-src ${FOREIGN}; img-src ${FOREIGN}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const bff = new StubBff('ok', FOREIGN);
    const { page, errors, warnings } = await openStrict(csp, bff);
    const card = page.document.querySelector('pulse-card');
    await eventually(() => warnings.length);
    expect(card?.shadowRoot === null).to.equal(true);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('trusted-types lit-html');
    expect(page.customElements.get('pulse-card') === undefined).to.equal(true);
    expect(card?.querySelector('text a')?.textContent).to.equal('Q2 revenue');
    expect(errors).to.deep.equal([]);
    expect(await bff.asked()).to.deep.equal([]);
  });

  it('T-44: logs one warning if the page’s own copy of Lit uses the policy’s name', async () => {
    const csp = `default-src 'none'; script-src ${FOREIGN} 'unsafe-inline'; connect-src ${FOREIGN}; img-src ${FOREIGN}; require-trusted-types-for 'script'; trusted-types lit-html`;
    const bff = new StubBff('ok', FOREIGN);
    const { warnings, errors, page } = await openStrict(
      csp,
      bff,
      "<script>trustedTypes.createPolicy('lit-html', { createHTML: (html) => html })</script>",
    );
    await eventually(() => warnings.length);
    expect(warnings).to.have.length(1);
    expect([...errors, page.customElements.get('pulse-card')]).to.deep.equal([undefined]);
  });

  it('T-44: loads a second copy of the script without a violation', async () => {
    const [csp = ''] = await policiesOfDocs();
    expect(csp).to.contain('trusted-types lit-html');
    const bff = new StubBff('ok', FOREIGN);
    const second = `<script type="module" src="${bff.base}/pulse-card.js?delay=300&version=9.9.9"></script>`;
    const { page, violations, warnings, errors } = await openStrict(csp, bff, second);
    await eventually(() => page.document.querySelector('pulse-card')?.state === 'ready');
    await eventually(() => warnings.length);
    expect(warnings[0]).to.contain('9.9.9');
    expect([...violations, ...errors]).to.deep.equal([]);
  });

  it('shows the card and its image under Cross-Origin-Embedder-Policy: require-corp', async () => {
    const bff = new StubBff('ok', FOREIGN);
    const html = `<script type="module" crossorigin src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`;
    const frame = await openPage(html, { coep: 'require-corp' });
    const card = frame.contentDocument?.querySelector('pulse-card');
    expect((await loadedChart(card)).naturalWidth).to.equal(1600);
  });

  it('finds the BFF from the script’s URL, even if the script comes from a different origin', async () => {
    const bff = new StubBff('ok', FOREIGN);
    const frame = await openPage(
      `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`,
    );
    await eventually(() => frame.contentDocument?.querySelector('pulse-card')?.state === 'ready');
    expect(await bff.asked()).to.have.length(1);
  });

  for (const scheme of ['blob', 'data'] as const)
    it(`runs as a ${scheme}: module if the page sets base-url, without blaming a policy`, async () => {
      const bff = new StubBff();
      const frame = await openPage(`<pulse-card source-id="ready-1" base-url="${bff.base}"></pulse-card>`);
      const page = frame.contentWindow as Window & typeof globalThis;
      const code = await (await fetch(`${bff.base}/pulse-card.js`)).text();
      const src =
        scheme === 'blob'
          ? page.URL.createObjectURL(new page.Blob([code], { type: 'text/javascript' }))
          : `data:text/javascript,${encodeURIComponent(code)}`;
      const card = page.document.querySelector('pulse-card') as PulseCard;
      const lines = await linesOf(async () => {
        for (const copy of [src, `${src}#2`])
          page.document.body.append(
            Object.assign(page.document.createElement('script'), { type: 'module', src: copy }),
          );
        await until(card, 'ready');
        const [opened] = [[] as string[]];
        page.open = (url) => (opened.push(String(url)), null);
        within(card, '[part=enlarge]').click();
        await eventually(() => opened.length);
      }, page);
      expect(lines.join()).not.to.contain('trusted-types');
      expect(lines.join()).to.contain('Can’t load pulse-card-extras');
    });

  it('reports why it can’t start and blames a policy only if one is the cause', async () => {
    const bff = new StubBff();
    const frame = await openPage('');
    const page = frame.contentWindow as Window & typeof globalThis;
    const lines = await linesOf(async (logged) => {
      page.customElements.define = () => {
        throw new Error('no more elements');
      };
      const src = `${bff.base}/pulse-card.js`;
      page.document.body.append(Object.assign(page.document.createElement('script'), { type: 'module', src }));
      await eventually(() => logged.length);
    }, page);
    expect(lines).to.deep.equal(['pulse-card: can’t start: no more elements']);
  });

  it('T-42: renders the card even if named elements on the page shadow the document’s methods', async () => {
    const bff = new StubBff();
    const clobber =
      '<img name="currentScript"><a id="config"></a><form name="trustedTypes"></form><form id="customElements"></form><img name="location"><img name="body">';
    const frame = await openPage(
      `${clobber}<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`,
    );
    await eventually(() => frame.contentDocument?.querySelector('pulse-card')?.state === 'ready');
  });
});

describe('a browser that is too old', () => {
  afterEach(clearStage);

  for (const missing of ['light-dark(', ':state(']) {
    it(`keeps the page’s content, without an error, if the browser lacks ${missing}`, async () => {
      const bff = new StubBff();
      const old = `<script>
        const { supports } = CSS;
        CSS.supports = (condition) => !condition.includes('${missing}') && supports.call(CSS, condition);
        window.errors = [];
        window.lines = [];
        console.warn = (line) => lines.push(line);
        addEventListener('error', ({ message }) => errors.push(message));
      </script>`;
      const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: bff.base, name: 'Q2 revenue' });
      // Modules run in document order, so this module runs after the snippet's script.
      const frame = await openPage(`${old}${snippet}<script type="module">window.isOver = true</script>`);
      const page = frame.contentWindow as Window &
        typeof globalThis & { errors: string[]; lines: string[]; isOver?: boolean };
      await eventually(() => page.isOver);
      expect(page.customElements.get('pulse-card') === undefined).to.equal(true);
      const card = page.document.querySelector('pulse-card');
      expect(card?.querySelector('text a')?.checkVisibility()).to.equal(true);
      expect(card?.querySelector('img')?.checkVisibility()).to.equal(true);
      expect(page.errors).to.deep.equal([]);
      expect(page.lines).to.deep.equal(['pulse-card: This browser is too old for cards']);
      expect(await bff.asked()).to.deep.equal([]);
    });
  }
});

describe('the oldest supported browser', () => {
  afterEach(clearStage);

  it('ignores only the CSS rule with a pseudo-element that it doesn’t recognize', async () => {
    const card = await stageCard(new StubBff(), 'ready-1');
    const rules = (list: CSSRuleList): CSSStyleRule[] =>
      [...list].flatMap((rule) =>
        rule instanceof CSSStyleRule
          ? [rule, ...rules(rule.cssRules)]
          : rules((rule as CSSGroupingRule).cssRules ?? []),
      );
    const all = card.shadowRoot?.adoptedStyleSheets.flatMap(({ cssRules }) => rules(cssRules)) ?? [];
    const newer = all
      .map(({ selectorText }) => selectorText)
      .filter((selector) => selector.includes('::details-content'));
    expect(newer).to.deep.equal(['details::details-content']);
  });
});

describe('pulse-card.js', () => {
  it('T-42, T-44, T-48: contains nothing that a strict policy forbids, and stores nothing in the browser', async () => {
    const script = await (await fetch('/dist/pulse-card.js')).text();
    expect(script).not.to.match(/ style=|\beval\(|new Function|unsafe-|currentScript|localStorage|document\.cookie/);
  });
});
