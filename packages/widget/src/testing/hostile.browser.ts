import { expect } from 'chai';
import type { Pulse } from '../data/pulse.ts';
import type { PulseCard } from '../elements/index.ts';
import { AUTOLINK, BOMBS, isOurs, PAYLOADS, TRAP } from './hostile-texts.ts';
import { clearStage, eventually, openPage, stageCard, StubBff, until, within } from './stage.ts';

/**
 * Three fields show each letter. A list item with one letter consists of an element, its text, and the template's
 * markers.
 */
const NODES_PER_LETTER = 4;

/** The number of nodes of any kind in the card's shadow root. */
function nodesIn(card: Element): number {
  const walker = document.createTreeWalker(card.shadowRoot as ShadowRoot);
  let count = 0;
  while (walker.nextNode()) count++;
  return count;
}

function given(fields: Partial<Pulse>): Pulse {
  return {
    jobRunId: 'r',
    sourceId: 's',
    sourceName: null,
    status: 'SUCCESS',
    completedAt: null,
    imageUrl: null,
    aiSummaryShort: null,
    aiSummaryLong: null,
    ...fields,
  };
}

describe('hostile text (T-35, T-36, T-37, T-38, T-39)', () => {
  afterEach(clearStage);

  it('is tested in at least 60 variations', () => {
    expect(PAYLOADS.length).to.be.at.least(60);
  });

  for (const payload of PAYLOADS) {
    it(`never creates an element, sends a request, or runs a script: ${JSON.stringify(payload).slice(0, 60)}`, async () => {
      performance.clearResourceTimings();
      const card = await stageCard(new StubBff(), '', { open: '' });
      card.pulse = given({
        sourceName: payload,
        imageUrl: payload === AUTOLINK ? null : payload,
        aiSummaryShort: payload,
        aiSummaryLong: `${payload}\n\n- ${payload}\n\n**${payload}**`,
      });
      await until(card, 'ready');
      const strangers = [...(card.shadowRoot?.querySelectorAll('*') ?? [])].filter((element) => {
        const names = element.getAttributeNames().join(' ');
        return !isOurs(element) || / (on\w+|style|srcdoc|action)\b/.test(` ${names}`);
      });
      expect(strangers.map(({ outerHTML }) => outerHTML)).to.deep.equal([]);
      expect([...(card.shadowRoot?.querySelectorAll('img') ?? [])].map(({ src }) => src)).to.deep.equal([]);
      expect((globalThis as { pwned?: number }).pwned).to.equal(undefined);
      expect(performance.getEntriesByType('resource').filter(({ name }) => name.includes('trap'))).to.deep.equal([]);
      expect(card.shadowRoot?.textContent).not.to.match(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}]/u);
    });
  }

  for (const [what, bomb] of Object.entries(BOMBS)) {
    it(`creates nodes in proportion to the text’s length: ${what}`, async () => {
      const card = await stageCard(new StubBff(), '', { open: '' });
      const fields = (text: string) => ({ sourceName: text, aiSummaryShort: text, aiSummaryLong: text });
      card.pulse = given(fields('A'));
      await until(card, 'ready');
      const frame = nodesIn(card);
      const began = performance.now();
      card.pulse = given(fields(`${bomb} .`));
      await card.updateComplete;
      console.info(`${what}: ${Math.round(performance.now() - began)} ms for three fields of ${bomb.length} letters`);
      expect(nodesIn(card) - frame).to.be.at.most(NODES_PER_LETTER * bomb.length);
      card.open = false;
      await card.updateComplete;
      expect(card.getBoundingClientRect().height).to.be.below(globalThis.innerWidth);
    });
  }

  it('creates at most 1,500 elements in a card if it is full of Markdown', async () => {
    const card = await stageCard(new StubBff(), '', { open: '' });
    const marks = '**a** '.repeat(1_300);
    card.pulse = given({ sourceName: 'Jobs', aiSummaryShort: marks, aiSummaryLong: marks });
    await until(card, 'ready');
    expect(card.shadowRoot?.querySelectorAll('*').length).to.be.at.most(1_500);
    expect(within(card, '[part=analysis]').textContent?.replaceAll(/[^a]/g, '').length).to.equal(1_300);
  });

  it('doesn’t make the page wider, even if it’s a single word of 20,000 letters', async () => {
    const card = await stageCard(new StubBff(), '', { open: '' });
    const word = 'W'.repeat(20_000);
    card.pulse = given({ sourceName: word, aiSummaryShort: word, aiSummaryLong: word });
    await until(card, 'ready');
    expect(document.documentElement.scrollWidth).to.be.at.most(innerWidth);
  });

  it('T-40: never adds a style, creates an element, or sends a request from an attribute', async () => {
    performance.clearResourceTimings();
    const payloads = [
      `red;background:url(${TRAP}/a.png)`,
      `</style><img src="${TRAP}/b.png">`,
      `"><script>window.pwned = 1</script>`,
      `@import url(${TRAP}/c.css);`,
      'expression(window.pwned = 1)',
    ];
    for (const payload of payloads) {
      const names = ['variant', 'theme', 'lang', 'dir', 'heading-level', 'open', 'loading', 'live', 'columns'];
      const card = await stageCard(new StubBff(), 'ready-1', Object.fromEntries(names.map((name) => [name, payload])));
      await until(card, 'ready');
      const styled = [...(card.shadowRoot?.querySelectorAll('[style], style, script, link') ?? [])];
      expect(styled.map(({ outerHTML }) => outerHTML)).to.deep.equal([]);
      card.remove();
    }
    expect((globalThis as { pwned?: number }).pwned).to.equal(undefined);
    expect(performance.getEntriesByType('resource').filter(({ name }) => name.includes('trap'))).to.deep.equal([]);
  });

  it('T-41: is sanitized even if it comes from an unintended BFF, which receives no data from the page', async () => {
    const requests: { url: string; init: RequestInit | undefined }[] = [];
    const { fetch } = globalThis;
    const pulse = given({ jobRunId: 'r', sourceId: 's-1', sourceName: '<img src=x>', imageUrl: 'javascript:alert(1)' });
    globalThis.fetch = async (input, init) => {
      const { url } = new Request(input);
      if (!url.startsWith(TRAP)) return fetch(input, init);
      requests.push({ url, init });
      return Response.json({ pulses: [{ sourceId: 's-1', ok: true, meta: {}, pulse }] });
    };
    const card = await stageCard(new StubBff(), 's-1', { 'base-url': TRAP });
    await until(card, 'ready');
    globalThis.fetch = fetch;
    expect(card.shadowRoot?.querySelectorAll('img').length).to.equal(0);
    expect(requests.map(({ url, init }) => [url, init?.credentials, init?.headers, init?.body])).to.deep.equal([
      [`${TRAP}/v1/pulses?ids=s-1`, undefined, undefined, undefined],
    ]);
  });

  it('T-56: doesn’t send the page’s URL to the host of an image', async () => {
    const card = await stageCard(new StubBff(), 'ready-1');
    await until(card, 'ready');
    const images = [...(card.shadowRoot?.querySelectorAll('img') ?? [])];
    expect(images.length).to.be.above(0);
    for (const { referrerPolicy } of images) expect(referrerPolicy).to.equal('no-referrer');
  });

  for (const code of ['retry', 'empty', 'unknown', 'forbidden', 'close', 'constructor', '__proto__']) {
    it(`isn’t shown if it’s an error code with the same name as a message: ${code}`, async () => {
      const codes: string[] = [];
      const card = await stageCard(new StubBff(), `says-${code}`);
      card.addEventListener('pulse-error', ({ detail }) => codes.push(detail.code));
      await card.refresh();
      await eventually(() => codes.length);
      expect(codes).to.deep.equal([code]);
      expect(within(card, '[part=error] p').textContent).to.equal('This chart can’t be shown right now.');
    });
  }

  const METHODS = [
    'createComment',
    'createElement',
    'createTreeWalker',
    'importNode',
    'addEventListener',
    'removeEventListener',
    'dispatchEvent',
    'querySelector',
    'querySelectorAll',
    'createRange',
    'head',
    'body',
    'hidden',
    'visibilityState',
    'baseURI',
    'documentElement',
    'activeElement',
    'scrollingElement',
    'litHtmlVersions',
    'litHtmlPolyfillSupport',
    'litElementVersions',
    'litElementPolyfillSupport',
    'litElementHydrateSupport',
    'reactiveElementVersions',
    'reactiveElementPolyfillSupport',
    'litPropertyMetadata',
    'ShadyCSS',
    'trustedTypes',
  ];
  it('T-93: doesn’t break a card next to images, forms, and iframes named after the document’s methods', async () => {
    const bff = new StubBff();
    const clobber = METHODS.map(
      (name) =>
        `<img name="${name}" id="${name}" alt=""><form name="${name}"></form><iframe name="${name}" style="display:none"></iframe>`,
    );
    const frame = await openPage(
      `${clobber.join('')}<pulse-card source-id="ready-1" base-url="${bff.base}" loading="eager" chart-theme="auto" actions="save copy" open history></pulse-card><script type="module" src="${bff.base}/pulse-card.js"></script>`,
    );
    const page = frame.contentWindow as Window & typeof globalThis;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the method is called on the frame's page
    const card = Reflect.apply(Document.prototype.querySelector, page.document, ['pulse-card']) as PulseCard;
    await until(card, 'ready');
    await eventually(() => within(card, '[part=analysis]').childElementCount);
    expect((await card.toBlob()).type).to.equal('image/png');
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
  });

  it('T-93: doesn’t break a framing page’s script next to images named after methods', async () => {
    const bff = new StubBff();
    const names = ['querySelectorAll', 'querySelector', 'addEventListener', 'documentElement'];
    const clobber = names.map((name) => `<img name="${name}" alt="">`).join('');
    const errors: string[] = [];
    await openPage(
      `${clobber}<script type="module" src="${bff.base}/pulse-frame.js"></script><script type="module" src="${bff.base}/pulse-frame-page.js"></script>`,
      {},
      600,
      (page) => {
        // eslint-disable-next-line @typescript-eslint/unbound-method -- the method is called on the frame's page
        Reflect.apply(EventTarget.prototype.addEventListener, page, [
          'error',
          ({ message }: ErrorEvent) => errors.push(message),
        ]);
      },
    );
    expect(errors).to.deep.equal([]);
  });

  for (const data of [
    'null',
    '7',
    '{"translation":7}',
    '{"translation":{"language":"*","messages":null}}',
    '{"translation":{"language":["de"]}}',
  ]) {
    it(`is ignored in a page’s data, so the card sends a request to the BFF: ${data}`, async () => {
      const bff = new StubBff();
      const card = await stageCard(bff, '');
      card.remove();
      card.innerHTML = `<script type="application/json" data-id="ready-1">${data}</script>`;
      card.sourceId = 'ready-1';
      document.body.append(card);
      await until(card, 'ready');
    });
  }
});
