import { expect } from 'chai';
import { clearStage, eventually, linesOf, openPage, StubBff, tokenFor } from './stage.ts';

/** Opens a page that imports modules from the package as a bundler would combine them. */
async function openModule(code: string, html: string) {
  const frame = await openPage(`${html}<script type="module">${code}</script>`);
  const page = frame.contentWindow as Window & typeof globalThis;
  await eventually(() => (page as unknown as { isImported?: boolean }).isImported);
  return page;
}

const cardsOf = (page: Window) => [...page.document.querySelectorAll('pulse-card')];

describe('@pulse-card/widget', () => {
  afterEach(clearStage);

  it('defines elements that use the URL from setBaseUrl() unless they have a base-url', async () => {
    const [shared, own, next] = [new StubBff(), new StubBff(), new StubBff()];
    const page = await openModule(
      `import { setBaseUrl } from '/src/index.ts'; setBaseUrl('${shared.base}/'); Object.assign(globalThis, { isImported: true, setBaseUrl })`,
      `<pulse-card source-id="ready-1"></pulse-card><pulse-card source-id="ready-2" base-url="${own.base}"></pulse-card>`,
    );
    await eventually(() => cardsOf(page).every(({ state }) => state === 'ready'));
    expect(await shared.asked('ids=ready-1')).to.have.length(1);
    expect(await own.asked('ids=ready-2')).to.have.length(1);
    (page as unknown as { setBaseUrl: (url: string) => void }).setBaseUrl(next.base);
    await eventually(async () => (await next.asked('ids=ready-1')).length === 1);
    await eventually(() => cardsOf(page).every(({ state }) => state === 'ready'));
    expect((await own.asked()).length + (await shared.asked()).length).to.equal(2);
  });

  it('requests the code for buttons on each click until it has loaded, and logs one line if loading fails', async () => {
    const bff = new StubBff('incomplete');
    const missing = { imports: { '/src/extras/index.ts': `${bff.base}/extras.js` } };
    const page = await openModule(
      `import '/src/index.ts'; globalThis.isImported = true`,
      `<script type="importmap">${JSON.stringify(missing)}</script><pulse-card source-id="ready-1" base-url="${bff.base}"></pulse-card>`,
    );
    const [card] = cardsOf(page);
    await eventually(() => card?.state === 'ready');
    const failed = () =>
      card?.copyText().then(
        () => 'copied',
        ({ message }: Error) => message,
      );
    const lines = await linesOf(async () => {
      expect([await failed(), await failed()]).to.deep.equal(Array(2).fill('Can’t load the code for the actions'));
    }, page);
    // If Firefox couldn't load a module, it doesn't request the module again.
    expect(await bff.asked('extras')).to.have.length(navigator.userAgent.includes('Firefox') ? 1 : 2);
    expect(lines).to.deep.equal([
      'pulse-card: Can’t load a chunk: deploy all chunks of the bundle, and allow them in script-src',
    ]);
  });

  it('T-91: also drops the tokens of elements that were defined by a script tag', async () => {
    const bff = new StubBff('private');
    const page = await openModule(
      `await customElements.whenDefined('pulse-card'); document.querySelector('pulse-card').tokenProvider = () => '${tokenFor('bob')}'; const { forgetTokens } = await import('/src/index.ts'); Object.assign(globalThis, { isImported: true, forgetTokens })`,
      `<script type="module" src="${bff.base}/pulse-card.js"></script><pulse-card source-id="ready-1"></pulse-card>`,
    );
    const [card] = cardsOf(page);
    await eventually(() => card?.state === 'ready');
    (page as unknown as { forgetTokens: () => void }).forgetTokens();
    await eventually(() => card?.failure?.code === 'signed_out');
  });
});

describe('@pulse-card/widget/elements', () => {
  afterEach(clearStage);

  it('exports only classes that a page can define under its own names', async () => {
    const bff = new StubBff();
    const page = await openModule(
      `import { PulseCard } from '/src/elements/index.ts'; customElements.define('acme-card', class extends PulseCard {}); globalThis.isImported = true`,
      `<acme-card source-id="ready-1" base-url="${bff.base}"></acme-card>`,
    );
    expect(page.customElements.get('pulse-card') === undefined).to.equal(true);
    expect(page.customElements.get('pulse-board') === undefined).to.equal(true);
    await eventually(() => page.document.querySelector('acme-card')?.matches(':state(ready)'));
  });
});
